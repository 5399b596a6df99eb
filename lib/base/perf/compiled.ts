import { closeSync, fstatSync, openSync, readFileSync, readSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { Script } from "node:vm";
import { RUNTIME } from "../runtime.js";

/** A compiled engine. The types of `WebAssembly` belong to browsers and are not loaded here. */
export type CompiledWasm = object;

/** File of an engine of the stores. */
export type EngineFile = "sql-wasm.wasm" | "node-sqlite3-wasm.wasm";

/** Name of the file beside an engine that holds its machine code. */
export const toCodeFileName = (file: EngineFile): string => `code-${file.replace(/\.wasm$/, "")}.bin`;

/** Where engines and their machine code are. */
export interface KeptEngines {
  readonly folder: string;
  /** Note what this run compiles, for later ones. */
  readonly write: boolean;
  /** False: the process runs with `--no-opt`. Code is bound to the flags, and kept as for those that run without. */
  readonly optimises: boolean;
}

let kept: KeptEngines | undefined;

/**
 * Take machine code of engines from files that earlier runs wrote: the runtime compiles a function of an engine when it is first called, which was a
 * fifth of the time of a command that looks at a board. Called before an engine is loaded.
 */
export function keepEngines(where: KeptEngines): void {
  kept = where;
}

/** The engine with its machine code; undefined where none is kept, and the engine is compiled as if this were not here. */
export function keptEngine(file: EngineFile): CompiledWasm | undefined {
  if (kept === undefined) return undefined;
  try {
    return kept.write ? noted(kept.folder, file) : restored(kept.folder, file);
  } catch {
    /* ok to lose: a build that was never warmed has no code, and a runtime of another version may have no way to take it. */
    return undefined;
  }
}

type Wasm = { readonly Module: new (bytes: Uint8Array) => CompiledWasm };
const wasm: Wasm = Reflect.get(globalThis, "WebAssembly"); // every Node has it

/** Bytes before the code: size of the engine that it was made of, and which runtime made it. */
const HEAD = 128;
const SIZE = 8;

/**
 * The runtime itself refuses code of other flags or for another processor. It does not compare the engine, and takes code of other releases that
 * share its version: so both are compared here.
 */
function restored(folder: string, file: EngineFile): CompiledWasm | undefined {
  const code = openSync(join(folder, toCodeFileName(file)), "r");
  try {
    const engine = readFileSync(join(folder, file));
    if (!bytesAt(code, 0, HEAD).equals(headOf(engine))) return undefined;
    const { buffer } = bytesAt(code, HEAD, fstatSync(code).size - HEAD);
    return inside("(code, engine) => %DeserializeWasmModule(code, engine)", buffer, engine);
  } finally {
    closeSync(code);
  }
}

function headOf(engine: Uint8Array): Buffer {
  const head = Buffer.alloc(HEAD);
  head.writeDoubleLE(engine.length, 0);
  head.write(RUNTIME, SIZE); // what is longer is cut
  return head;
}

function bytesAt(descriptor: number, from: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(length);
  if (readSync(descriptor, bytes, 0, length, from) !== length) throw new RangeError("the file is shorter than it says");
  return bytes;
}

/** Functions of the engine that are used in this run are compiled by the compiler whose code can be kept, and written at the end. */
function noted(folder: string, file: EngineFile): CompiledWasm {
  const engine = readFileSync(join(folder, file));
  const module = restoredOr(folder, file) ?? new wasm.Module(engine);
  setFlagsFromString("--no-liftoff-only");
  setFlagsFromString("--no-liftoff");
  process.once("exit", () => {
    setFlagsFromString("--liftoff");
    setFlagsFromString("--liftoff-only"); // as in the runs that take it: the code is bound to the flags
    const code = inside<ArrayBuffer>("(module) => %SerializeWasmModule(module)", module);
    const path = join(folder, toCodeFileName(file));
    writeFileSync(`${path}.new`, Buffer.concat([headOf(engine), Buffer.from(code)]));
    renameSync(`${path}.new`, path);
  });
  return module;
}

function restoredOr(folder: string, file: EngineFile): CompiledWasm | undefined {
  try {
    return restored(folder, file);
  } catch {
    return undefined; /* ok to lose: this is the first run that writes it */
  }
}

/** Call a function of the runtime that scripts have no name for. */
function inside<T>(text: string, ...given: readonly unknown[]): T {
  const alone = kept?.optimises === false;
  setFlagsFromString("--allow-natives-syntax");
  if (alone) setFlagsFromString("--opt");
  try {
    return new Script(text).runInThisContext()(...given);
  } finally {
    setFlagsFromString("--no-allow-natives-syntax");
    if (alone) setFlagsFromString("--no-opt");
  }
}
