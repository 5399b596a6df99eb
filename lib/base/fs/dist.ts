import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { assert } from "../errors.js";

/** Path of a built file (`store-thread.cjs`, `sql-wasm.wasm`): beside the running chunk, or above it for test groups in `dist/test/…`. */
export function distFile(name: string): string {
  let dir = dirname(fileURLToPath(import.meta.url));
  for (let level = 0; level < 4; level++) {
    const path = join(dir, name);
    if (existsSync(path)) return path;
    dir = dirname(dir);
  }
  assert(false, `the build put ${name} into dist`);
}
