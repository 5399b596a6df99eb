import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Below this the engine's own collections are soon enough. */
const LARGE = 16 << 20;

let collect: (() => void) | undefined;

/**
 * Give the memory of a checkpoint back at once. The runtime counts such bytes only roughly: without this the copy of one checkpoint of a large
 * store was still there when the next was made.
 */
export function collectLarge(bytes: number): void {
  if (bytes < LARGE) return;
  collect ??= exposed();
  collect();
}

function exposed(): () => void {
  setFlagsFromString("--expose-gc");
  const found: unknown = runInNewContext("gc");
  return typeof found === "function" ? () => void found() : () => undefined;
}
