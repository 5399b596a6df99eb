import type { BoardSlug, TaskId } from "../base/units.js";
import { readSlice, sizeOf } from "../base/workspace-files.js";
import type { LogPart } from "../proto/board-api.js";
import type { Core } from "./core.js";
import { task } from "./read.js";

/** Most of a log that one answer holds. */
const MAX_BYTES = 2_000_000;

/** Raw log of a task, its end when it is longer than asked for (board part, 7.9). @throws E_NOT_FOUND */
export async function log(core: Core, board: BoardSlug, id: TaskId, part: { tailBytes?: number; run?: number }): Promise<LogPart> {
  await task(core, board, id);
  const path = core.places(board).log(id);
  const size = await sizeOf(path);
  if (size === undefined) return { path, exists: false, size_bytes: 0, content: "", truncated: false };
  const want = Math.min(part.tailBytes ?? MAX_BYTES, MAX_BYTES);
  const from = Math.max(0, size - want);
  const content = await readSlice(path, from, size);
  const shown = part.run === undefined ? content : ofRun(content, part.run);
  return { path, exists: true, size_bytes: size, content: shown, truncated: from > 0 };
}

/** The part of a log that one run wrote: from its head line to the next. */
function ofRun(content: string, run: number): string {
  const heads = [...content.matchAll(/^=== run (\d+) profile=.*===$/gm)];
  const at = heads.findIndex((head) => Number(head[1]) === run);
  if (at === -1) return "";
  return content.slice(heads[at]?.index, heads[at + 1]?.index);
}

/** How often a followed log is looked at. */
const LOOK_MS = 100;

/** New text of a log until no run is open any more or the signal aborts. */
export async function* followLog(
  core: Core,
  { board, id }: { board: BoardSlug; id: TaskId },
  part: { tailBytes?: number },
  signal: AbortSignal,
): AsyncIterable<string> {
  const path = core.places(board).log(id);
  let at = Math.max(0, ((await sizeOf(path)) ?? 0) - (part.tailBytes ?? MAX_BYTES));
  while (!signal.aborted) {
    const open = (await task(core, board, id)).current_run_id !== null; // asked before reading, so that the last words are not missed
    const size = (await sizeOf(path)) ?? 0;
    if (size < at) at = 0; // rotated
    if (size > at) yield await readSlice(path, at, size);
    at = size;
    if (!open) return;
    await pause(core, signal);
  }
}

async function pause(core: Core, signal: AbortSignal): Promise<void> {
  try {
    await core.clock.sleep(LOOK_MS, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
