import { distFile } from "./dist.js";

/**
 * Run a module from outside of the program, by its `file:` URL: an ES module or a CommonJS one. It is the caller who makes sure that the
 * user wants its code to run.
 *
 * @returns its exports
 */
export async function importFile(url: string): Promise<unknown> {
  const path = distFile("import-file.cjs");
  const { createRequire } = process.getBuiltinModule("node:module");
  const native = createRequire(path)(path) as { importFile(url: string): Promise<unknown> }; // the file beside this one
  return native.importFile(url);
}
