import type { StoredEvent } from "../../../storage/store.js";
import { getSettings } from "../../../storage/tables/board/settings.js";
import { getFull } from "../../../storage/tables/board/tasks.js";
import { type TriageRow, triageTasks } from "../../../storage/tables/board/triage.js";
import { type BoardSlug, type TaskId, toUnix } from "../../base/units.js";
import type { Actor } from "../../contracts/board/board.js";
import { appendTaskEvent, toStamp } from "../core/core.js";
import { updateTaskColumns } from "../core/states.js";
import type { Waker } from "../core/wake.js";
import type { Planning, SeenTask } from "./ask.js";
import { type Attempt, attempt } from "./decompose.js";

/** Who decomposes by itself, as comments and new tasks name it. */
const AUTO: Actor = { kind: "system", name: "auto-decomposer" };

/** A board as the automatic decomposer looks at it. */
export interface TriageLook {
  /** What the board itself says; null follows the configuration. */
  readonly orchestration: "auto" | "manual" | null;
  readonly paused: boolean;
  readonly tasks: readonly TriageRow[];
}

/** `mayBegin` is looked at last before the model is asked. */
export interface AutoAttempt {
  readonly mayBegin: () => Promise<boolean>;
  readonly signal: AbortSignal;
}

/** What the automatic decomposer needs of the board. */
export interface AutoKernel {
  /** Settings of a board and its triage tasks that may have an automatic attempt, in the order in which they get one; with 0 attempts only the settings. */
  lookAtTriage(board: BoardSlug, maxAttempts: number): Promise<TriageLook>;
  /** One automatic attempt. Writes nothing when it fails; `countFailure` does. */
  autoDecompose(board: BoardSlug, id: TaskId, how: AutoAttempt): Promise<Attempt>;
  /** Count a failed attempt, with its event and its wait. Nothing when the task left triage or has another text by now. False: it did not count. */
  countFailure(
    board: BoardSlug,
    seen: SeenTask,
    failure: { readonly reason: string; readonly maxAttempts: number },
  ): Promise<boolean>;
  /** Model calls that may still begin on a board. */
  freeFlights(board: BoardSlug): number;
  isPlanned(board: BoardSlug, id: TaskId): boolean;
  /** End every model call that is under way, by hand or by itself; nothing of it is written, and no other begins. */
  endPlanning(): void;
  /** Hears of commits that may make a triage task eligible, or not. */
  onTriage(listener: () => void): () => void;
}

export function autoKernel(planning: Planning, waker: Pick<Waker, "onCommit">): AutoKernel {
  const { core, flights } = planning;
  return {
    lookAtTriage: async (board, maxAttempts) => {
      const store = await core.reading(board);
      if (store === undefined) return { orchestration: null, paused: false, tasks: [] };
      return store.read(async (q) => {
        const settings = await getSettings(q);
        const tasks = maxAttempts > 0 ? await triageTasks(q, maxAttempts) : [];
        return { orchestration: settings?.orchestration ?? null, paused: settings?.paused_at != null, tasks };
      });
    },
    autoDecompose: (board, id, { mayBegin, signal }) =>
      attempt(planning, { board, id }, { author: AUTO.name, by: AUTO, signal, automatic: { mayBegin } }),
    countFailure: (board, seen, failure) => countFailure(planning, board, seen, failure),
    freeFlights: (board) => flights.free(board),
    isPlanned: (board, id) => flights.busy(board, id),
    endPlanning: () => flights.close(),
    onTriage: (listener) => waker.onCommit((_board, events) => (events.some(matters) ? listener() : undefined)),
  };
}

const KINDS = new Set(["edited", "commented", "assigned", "board_resumed", "board_updated", "orchestration_changed"]);

const matters = (event: StoredEvent): boolean => event.payload["to"] === "triage" || KINDS.has(event.kind);

/** Waits after the first failed attempt, after the second, and so on, in seconds (board part, 9.4). */
const waitAfter = (attempts: number): number => Math.min(60 * 4 ** (attempts - 1), 86_400);

async function countFailure(
  { core }: Planning,
  board: BoardSlug,
  seen: SeenTask,
  { reason, maxAttempts }: { readonly reason: string; readonly maxAttempts: number },
): Promise<boolean> {
  const { id, title, body } = seen.task;
  const store = await core.store(board, id);
  const stamp = toStamp(core, AUTO);
  return store.write("board.decompose-failed", async (tx) => {
    const task = await getFull(tx, id);
    if (task?.status !== "triage" || task.title !== title || task.body !== body) return false;
    const attempts = task.decompose_attempts + 1;
    const next_at = attempts >= maxAttempts ? null : toUnix(stamp.at) + waitAfter(attempts);
    await updateTaskColumns(tx, task, stamp.at, { decompose_attempts: attempts, decompose_next_at: next_at });
    appendTaskEvent(tx, stamp, { kind: "decompose_failed", task: id }, { attempt: attempts, reason, next_at });
    return true;
  });
}
