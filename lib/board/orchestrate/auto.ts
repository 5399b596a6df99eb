import type { TriageRow } from "../../../storage/tables/board/triage.js";
import { defineService, type Scope, type Service } from "../../base/async/service.js";
import { createWakeup } from "../../base/async/wakeup.js";
import { toAppError } from "../../base/errors.js";
import type { Log } from "../../base/log/log.js";
import type { TestSignal } from "../../base/process/signal.js";
import type { Clock } from "../../base/time/clock.js";
import type { BoardSlug, Ms, TaskId } from "../../base/units.js";
import type { DecomposeOutcome } from "../../contracts/board/orchestration.js";
import type { Config } from "../../contracts/config/config.js";
import type { AuxClient } from "../../contracts/models/auxiliary.js";
import type { BoardKernel } from "../core/kernel.js";
import { KANBAN } from "../core/keys.js";
import { REFUSAL_REASONS } from "./ask.js";
import { type AttemptBudget, createBudget } from "./auto-budget.js";
import type { AutoKernel, TriageLook } from "./auto-kernel.js";
import type { Attempt } from "./decompose.js";

export interface AutoDeps {
  readonly kernel: AutoKernel & Pick<BoardKernel, "slugs">;
  readonly aux: Pick<AuxClient, "state">;
  /** The profile exists. */
  readonly exists: (profile: string) => boolean;
  /** Workers are started in this process: only beside them tasks are decomposed. */
  readonly dispatching: () => boolean;
  readonly clock: Clock;
  readonly config: Config;
  readonly log: Log;
  readonly signals?: {
    /** After each look at all boards, with the number of attempts that it began. */
    readonly looked?: TestSignal<number>;
    /** After each attempt. */
    readonly tried?: TestSignal<DecomposeOutcome>;
  };
}

/** Longest time between two looks: a clock that was set, a local model server that came up. */
const LOOK_MS: Ms = 60_000;
/** Above so many triage tasks a look costs something, and not every comment is worth one. */
const CROWD = 100;
const CROWD_MS: Ms = 1_000;
/** Of so many a look is worth a second. Of the thousand that one look goes through at most it is four: tasks settle for longer than that. */
const CROWD_REST = 250;
/** Milliseconds a task rests after a failure that could not be counted, so that a full disk does not cost one model call after the other. */
const REST_MS: Ms = 60_000;

/**
 * Decomposes triage tasks by itself (board part, 9.4), beside the dispatcher and never inside one of its passes. What was under way when the owner
 * ended has left no trace and is begun again.
 */
export function createAutoDecomposer(deps: AutoDeps): Service {
  return defineService("auto-decompose", async (scope) => {
    const wakeup = createWakeup();
    const parts: Parts = {
      ...deps,
      scope,
      budget: createBudget(deps.clock),
      resting: new Map(),
      said: new Set(),
      crowd: 0,
      ring: () => wakeup.notify(),
    };
    scope.onStop(deps.kernel.onTriage(parts.ring));
    scope.onStop(deps.config.onChange(parts.ring));
    scope.loop(async () => {
      const next = await look(parts);
      if (parts.crowd > CROWD) await deps.clock.sleep(CROWD_MS * Math.ceil(parts.crowd / CROWD_REST), scope.signal);
      const cancel = deps.clock.after(Math.min(next, LOOK_MS), parts.ring);
      try {
        await wakeup.wait(scope.signal);
      } finally {
        cancel();
      }
    });
  });
}

interface Parts extends AutoDeps {
  readonly scope: Scope;
  readonly budget: AttemptBudget;
  /** Tasks that rest, as `<board>/<id>`, and until when. */
  readonly resting: Map<string, Ms>;
  /** Troubles that were told already. */
  readonly said: Set<string>;
  readonly ring: () => void;
  last?: BoardSlug;
  /** Tasks that the last look went through. */
  crowd: number;
}

/** Triage tasks of one board whose attempt may begin. */
interface Lane {
  readonly board: BoardSlug;
  readonly waiting: TriageRow[];
}

/** Look at every board once and begin what may begin. @returns milliseconds until the next attempt may */
async function look(parts: Parts): Promise<Ms> {
  let begun = 0;
  let next = LOOK_MS;
  try {
    if (parts.dispatching()) {
      const found = await lanesOf(parts);
      next = found.next;
      if (found.lanes.length > 0 && (await hasClient(parts))) begun = takeTurns(parts, found.lanes);
      if (begun < found.ready) next = Math.min(next, parts.budget.wait(intervalOf(parts)));
    }
  } catch (error) {
    tellOnce(parts, "look", error);
  }
  parts.signals?.looked?.emit(begun);
  return next;
}

const intervalOf = ({ config }: Parts): Ms => config.get(KANBAN.dispatchInterval) * 1000;

async function lanesOf(parts: Parts): Promise<{ lanes: readonly Lane[]; ready: number; next: Ms }> {
  const lanes: Lane[] = [];
  let next = LOOK_MS;
  parts.crowd = 0;
  for (const board of await parts.kernel.slugs()) {
    try {
      const seen = await parts.kernel.lookAtTriage(board, parts.config.get(KANBAN.autoDecomposeMaxAttempts));
      parts.said.delete(board);
      parts.crowd += seen.tasks.length;
      if (!isOn(parts, seen)) continue;
      const sorted = eligible(parts, board, seen);
      if (sorted.ready.length > 0) lanes.push({ board, waiting: sorted.ready });
      next = Math.min(next, sorted.next);
    } catch (error) {
      tellOnce(parts, board, error);
    }
  }
  return { lanes, ready: lanes.reduce((sum, lane) => sum + lane.waiting.length, 0), next };
}

/** The board's own setting wins over the configuration. */
const isOn = ({ config }: Pick<Parts, "config">, { orchestration, paused }: Omit<TriageLook, "tasks">): boolean =>
  !paused && (orchestration === null ? config.get(KANBAN.autoDecompose) : orchestration === "auto");

function eligible(parts: Parts, board: BoardSlug, { tasks }: TriageLook): { ready: TriageRow[]; next: Ms } {
  const now = parts.clock.now();
  const ready: TriageRow[] = [];
  let next = LOOK_MS;
  for (const task of tasks) {
    if (!routable(parts, task.assignee) || parts.kernel.isPlanned(board, task.id)) continue;
    const wait = Math.max(settledAt(parts, task) * 1000 - now, restOf(parts, board, task.id));
    if (wait <= 0) ready.push(task);
    else next = Math.min(next, wait);
  }
  return { ready, next };
}

/** When the task was left alone long enough and its wait after a failure is over. */
function settledAt({ config }: Parts, task: TriageRow): number {
  const touched = Math.max(task.updated_at, task.commented_at ?? 0);
  return Math.max(touched + config.get(KANBAN.autoDecomposeSettle), task.decompose_next_at ?? 0);
}

function restOf(parts: Parts, board: BoardSlug, id: TaskId): Ms {
  const until = parts.resting.get(`${board}/${id}`);
  if (until === undefined) return 0;
  const left = until - parts.clock.mono();
  if (left <= 0) parts.resting.delete(`${board}/${id}`);
  return Math.max(0, left);
}

/** Unassigned, or a profile: what is worked elsewhere is planned elsewhere. */
function routable({ config, exists }: Parts, assignee: string | null): boolean {
  if (assignee === null) return true;
  return !config.get(KANBAN.externalAssignees).includes(assignee) && exists(assignee);
}

/** Without a model no attempt is made, and none is counted. */
async function hasClient(parts: Parts): Promise<boolean> {
  const state = await parts.aux.state("kanban_decomposer");
  if (state === "usable") parts.said.delete("client");
  else if (!parts.said.has("client")) {
    parts.said.add("client");
    parts.log.info("triage tasks wait: no auxiliary model is available", { state });
  }
  return state === "usable";
}

/** One attempt of each board per turn, beginning after the board that was served last. */
function takeTurns(parts: Parts, lanes: readonly Lane[]): number {
  const after = lanes.findIndex((lane) => lane.board === parts.last) + 1;
  let turn = [...lanes.slice(after), ...lanes.slice(0, after)];
  let begun = 0;
  while (turn.length > 0) {
    for (const lane of turn) {
      if (
        parts.scope.signal.aborted ||
        !parts.budget.take(parts.config.get(KANBAN.autoDecomposePerTick), intervalOf(parts))
      )
        return begun;
      const task = lane.waiting.shift();
      if (task === undefined) continue;
      begin(parts, lane.board, task.id);
      parts.last = lane.board;
      begun += 1;
    }
    turn = turn.filter((lane) => lane.waiting.length > 0 && parts.kernel.freeFlights(lane.board) > 0);
  }
  return begun;
}

function begin(parts: Parts, board: BoardSlug, id: TaskId): void {
  const { scope, kernel } = parts;
  scope.run(async () => {
    try {
      const how = { signal: scope.signal, mayBegin: () => mayBegin(parts, board) };
      await settle(parts, board, id, await kernel.autoDecompose(board, id, how));
    } catch (error) {
      rest(parts, board, id);
      tellOnce(parts, `${board}/${id}`, error);
    } finally {
      parts.ring();
    }
  });
}

/** Looked at last, right before the model is asked: switching it off takes effect. */
async function mayBegin(parts: Parts, board: BoardSlug): Promise<boolean> {
  const seen = await parts.kernel.lookAtTriage(board, 0);
  return !parts.scope.signal.aborted && parts.dispatching() && isOn(parts, seen);
}

async function settle(parts: Parts, board: BoardSlug, id: TaskId, { outcome, seen }: Attempt): Promise<void> {
  if (parts.scope.signal.aborted) return;
  if (outcome.ok) parts.log.info("triage task decomposed", { board, task: id, reason: outcome.reason });
  else if (seen === undefined || outcome.reason === REFUSAL_REASONS.none || outcome.reason === REFUSAL_REASONS.broken) {
    // No model was asked.
    parts.budget.giveBack();
    if (outcome.reason !== REFUSAL_REASONS.off) rest(parts, board, id);
  } else {
    const maxAttempts = parts.config.get(KANBAN.autoDecomposeMaxAttempts);
    const counted = await parts.kernel.countFailure(board, seen, { reason: outcome.reason, maxAttempts });
    if (counted) parts.log.warning("failed to decompose a triage task", { board, task: id, reason: outcome.reason });
  }
  parts.signals?.tried?.emit(outcome);
}

const rest = (parts: Parts, board: BoardSlug, id: TaskId): void => {
  parts.resting.set(`${board}/${id}`, parts.clock.mono() + REST_MS);
};

function tellOnce(parts: Parts, about: string, error: unknown): void {
  if (parts.said.has(about)) return;
  parts.said.add(about);
  const { code, message } = toAppError(error);
  parts.log.warning("automatic decomposition cannot continue here", { about, code, message });
}
