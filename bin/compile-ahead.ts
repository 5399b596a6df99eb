import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { compiling } from "../lib/base/compiled.js";
import type { EngineFile } from "./thin-set.js";

/** What a run needs of an engine, beside the code cache: a section of its `.wasm` that says which functions to compile at once. */
export interface Hints {
  /** Size of the file that they were made for. */
  readonly size: number;
  /** Where the section goes. */
  readonly at: number;
  readonly section: string;
}

/** File of the hints, by name of the `.wasm`. */
export const HINTS_FILE = "code-hints.json";

type Wasm = { readonly compile: (bytes: Uint8Array) => Promise<object> };
const wasm: Wasm = Reflect.get(globalThis, "WebAssembly"); // every Node has it

/**
 * Compile the part of an engine that commands use, on another thread while this one loads the program. By itself the runtime compiles each function
 * when it is first called, which is a fifth of the time of a command that looks at a board.
 *
 * @returns false when there are no hints, and nothing was begun
 */
export function compileAhead(folder: string, file: EngineFile, setFlag: (flag: string) => void): boolean {
  const hinted = withHints(folder, file);
  if (hinted === undefined) return false;
  setFlag("--experimental-wasm-compilation-hints");
  setFlag("--no-wasm-lazy-compilation"); // else the hints are passed over
  compiling(file, wasm.compile(hinted));
  return true;
}

function withHints(folder: string, file: EngineFile): Buffer | undefined {
  try {
    const all: Partial<Record<EngineFile, Hints>> = JSON.parse(readFileSync(join(folder, HINTS_FILE), "utf8"));
    const hints = all[file];
    return hints && together(openSync(join(folder, file), "r"), hints);
  } catch {
    /* ok to lose: a build that was never warmed has none, and each function is compiled at its first call. */
    return undefined;
  }
}

/** The file with the section in it, read once into one place: it has more than a megabyte. */
function together(descriptor: number, { size, at, section }: Hints): Buffer | undefined {
  try {
    if (fstatSync(descriptor).size !== size) return undefined;
    const more = Buffer.from(section, "base64");
    const whole = Buffer.allocUnsafeSlow(size + more.length);
    const read =
      readSync(descriptor, whole, 0, at, 0) + more.copy(whole, at) + readSync(descriptor, whole, at + more.length, size - at, at);
    return read === whole.length ? whole : undefined;
  } finally {
    closeSync(descriptor);
  }
}
