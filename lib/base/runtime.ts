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
