import { collectAll } from "../../lib/base/perf/quiet-memory.js";

/** Below this the engine's own collections are soon enough. */
const LARGE = 16 << 20;

/**
 * Give the memory of a checkpoint back at once. The runtime counts such bytes only roughly: without this the copy of one checkpoint of a large
 * store was still there when the next was made.
 */
export function collectLarge(bytes: number): void {
  if (bytes >= LARGE) collectAll();
}
