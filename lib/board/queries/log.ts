import { StringDecoder } from "node:string_decoder";
import { AppError } from "../../base/errors.js";
import { openLogParts, tailLog, textOfTail } from "../../base/log/log-parts.js";
import type { BoardSlug, TaskId } from "../../base/units.js";
import type { LogPart, LogQuestion } from "../../contracts/board/api.js";
import type { Core } from "../core/core.js";
import { readTask } from "../core/core.js";
import { rangeOf } from "./heads.js";
import { runs } from "./read.js";

/** Most of a log that one answer holds. */
const MAX_BYTES = 2_000_000;

/**
 * Raw log of a readTask with its backups, the end of it when it is longer than asked for (board part, 7.9).
 *
 * @throws E_NOT_FOUND unknown readTask, or a run that it never had
 */
export async function log(core: Core, board: BoardSlug, id: TaskId, part: LogQuestion): Promise<LogPart> {
  await readTask(core, board, id);
  const ids = part.run === undefined ? [] : await runsWith(core, board, id, part.run);
  const path = core.places(board).log(id);
  const parts = openLogParts(path);
  try {
    const whole = part.run === undefined ? { from: 0, to: parts.size } : rangeOf(parts, part.run, ids);
    if (whole === undefined || !parts.exists)
      return { path, exists: false, size_bytes: parts.size, content: "", truncated: false };
    const from = Math.max(whole.from, whole.to - Math.min(part.tailBytes ?? MAX_BYTES, MAX_BYTES));
    const content = textOfTail(parts.read(from, whole.to));
    return { path, exists: true, size_bytes: parts.size, content, truncated: from > whole.from };
  } finally {
    parts.close();
  }
}

async function runsWith(core: Core, board: BoardSlug, id: TaskId, run: number): Promise<readonly number[]> {
  const ids = (await runs(core, board, id)).map((one) => one.id);
  if (ids.some((one) => one === run)) return ids;
  throw new AppError("E_NOT_FOUND", `${id} has no run ${run}`, {
    task: id,
    hint: `agent kanban runs ${id} lists them`,
  });
}

/** How often a followed log is looked at. */
const LOOK_MS = 100;

/**
 * Text of a log and what is added to it, over rotations, until the run that is open now has ended or the signal aborts. With a run: only its part.
 *
 * @throws E_NOT_FOUND
 */
export async function* followLog(
  core: Core,
  { board, id }: { board: BoardSlug; id: TaskId },
  part: LogQuestion,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const current = async () => (await readTask(core, board, id)).current_run_id;
  const run = await current();
  const asked = part.run === undefined ? [] : await runsWith(core, board, id, part.run);
  // From here to the end of `beginning` nothing is awaited, so that no rotation and no line falls in between.
  const tail = tailLog(core.places(board).log(id));
  const begin = beginning(core.places(board).log(id), part, asked);
  if (begin !== "") yield begin;
  if (run === null || (part.run !== undefined && part.run !== run)) return;
  const decoder = new StringDecoder("utf8");
  while (!signal.aborted) {
    const open = (await current()) === run; // asked before reading, so that the last words are not missed
    const text = decoder.write(tail.next());
    if (text !== "") yield text;
    if (!open) return;
    await pause(core, signal);
  }
}

function beginning(path: string, part: LogQuestion, runIds: readonly number[]): string {
  const parts = openLogParts(path);
  try {
    const whole = part.run === undefined ? { from: 0, to: parts.size } : rangeOf(parts, part.run, runIds);
    if (whole === undefined) return "";
    return textOfTail(parts.read(Math.max(whole.from, whole.to - (part.tailBytes ?? MAX_BYTES)), whole.to));
  } finally {
    parts.close();
  }
}

async function pause(core: Core, signal: AbortSignal): Promise<void> {
  try {
    await core.clock.sleep(LOOK_MS, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
