import { statSync } from "node:fs";

/**
 * The very program that runs this: version, processor, and size of its file. Machine code that it keeps is for it alone: releases of one line share
 * the version that the engine compares, though what the code calls has moved, and code of another one ended the process with a fault of memory.
 */
export const RUNTIME = [
  process.version,
  process.versions.v8,
  process.arch,
  statSync(process.execPath, { throwIfNoEntry: false })?.size ?? 0,
].join(" ");

/**
 * Options that say after how many bytes of its code a function is optimised. Engines from 12 on (Node 22) have a compiler in between, and no such
 * option: they print an error for it, and keep their own measure.
 */
export const optimisedAfter = (bytes: number, engine: string = process.versions.v8): readonly string[] =>
  Number.parseInt(engine, 10) < 12 ? [`--interrupt-budget=${bytes}`] : [];
