// Runs a development program written in TypeScript: bundles it into dist/.dev when one of its sources is newer, then imports it.
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
export const root = dirname(dirname(here));
const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;

/** The list of sources lies beside the program, written by the last bundling. */
function isFresh(outfile) {
  if (!existsSync(outfile) || !existsSync(`${outfile}.json`)) return false;
  const built = changedAt(outfile);
  return JSON.parse(readFileSync(`${outfile}.json`, "utf8")).every((path) => changedAt(join(root, path)) < built);
}

export async function compile(name) {
  const outfile = join(root, "dist", ".dev", `${name}.mjs`);
  if (isFresh(outfile)) return outfile;
  mkdirSync(dirname(outfile), { recursive: true });
  const { build } = await import("esbuild");
  const options = {
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    packages: "external",
    sourcemap: "inline",
    logLevel: "warning",
  };
  const entryPoints = [join(here, `${name}.ts`)];
  const pass = await build({ ...options, entryPoints, outfile, absWorkingDir: root, write: false, metafile: true });
  writeFileSync(`${outfile}.${process.pid}`, pass.outputFiles[0].contents);
  renameSync(`${outfile}.${process.pid}`, outfile);
  writeFileSync(`${outfile}.json`, JSON.stringify(Object.keys(pass.metafile.inputs)));
  return outfile;
}

export async function load(name) {
  process.chdir(root);
  const program = await import(pathToFileURL(await compile(name)).href);
  try {
    process.exitCode = await program.main(process.argv.slice(2));
  } catch (error) {
    // The bundler has told its errors already.
    if (!Array.isArray(error.errors)) process.stderr.write(`${error.stack}\n`);
    process.exitCode = 1;
  }
}
