import type { CaseEvent, CaseRun, CaseTask, FailingDelivery } from "../../../storage/tables/board/cases.js";
import type { UnixSeconds } from "../../base/units.js";
import type { Status, Verdict } from "../../contracts/board/board.js";
import type { Diagnostic, DiagnosticAction, DispatchState } from "../../contracts/board/explain.js";

/** A parent that holds its child back and does not go on by itself. */
export interface StuckParent {
  readonly id: string;
  readonly status: Status;
  readonly verdict: Verdict | null;
  readonly since: UnixSeconds;
}

/** Everything that the diagnostics of one task look at. */
export interface TaskCase {
  readonly task: CaseTask;
  /** When it came into its status; for ready and blocked tasks. */
  readonly since: UnixSeconds;
  /** Refused completions, unknown ids, and what blocked and freed it in the last day; oldest first. */
  readonly events: readonly CaseEvent[];
  /** Closed runs, newest first. */
  readonly runs: readonly CaseRun[];
  readonly stuckParents: readonly StuckParent[];
  readonly commentedAt: UnixSeconds | null;
  /** The process of its open run, when it could not be ended. */
  readonly stuckWorker: { readonly pid: number; readonly alive: boolean; readonly since: UnixSeconds } | undefined;
  readonly deliveries: readonly FailingDelivery[];
  /** The worktree of an archived task that still lies there. */
  readonly kept: { readonly path: string; readonly since: UnixSeconds } | undefined;
  /** Last words and last log lines of a worker that stopped without an answer. */
  readonly lastText: string | null;
  readonly log: readonly string[];
}

/** What all diagnostics of a board share. */
export interface BoardCase {
  readonly now: UnixSeconds;
  readonly paused: boolean;
  readonly dispatch: DispatchState;
  readonly stalled: boolean;
  /** When a worker was started last; null: never. */
  readonly lastStart: UnixSeconds | null;
  readonly limitOf: (task: CaseTask) => number;
  readonly outside: (task: CaseTask) => boolean;
  readonly known: (assignee: string) => boolean;
  /** Why no worker of a profile can start; undefined: one can. */
  readonly workerProblem: (assignee: string) => string | undefined;
  /** Why no model can specify or decompose; undefined when one can. */
  readonly noClient: string | undefined;
  readonly maxAttempts: number;
  /** Runs that providers refused in the last hour, oldest first. */
  readonly refused: readonly CaseRun[];
  readonly deliveries: readonly FailingDelivery[];
  readonly tasks: readonly TaskCase[];
}

/** A finding without what its kind's entry adds. */
export interface CaseFinding extends Pick<Diagnostic, "severity" | "title" | "detail" | "actions" | "data"> {
  readonly first: UnixSeconds;
  readonly last?: UnixSeconds;
  readonly count?: number;
}

/** Looks at one task. */
export type TaskRule = (of: TaskCase, board: BoardCase) => CaseFinding | undefined;
/** Looks at the board as a whole. */
export type BoardRule = (board: BoardCase) => readonly CaseFinding[];

/** An action; the first of a finding is the suggested one. */
export const action = (
  kind: DiagnosticAction["kind"],
  label: string,
  payload: Readonly<Record<string, unknown>> = {},
  suggested = false,
): DiagnosticAction => ({ kind, label, payload, suggested });

/** A command to run by hand. */
export const hint = (command: string, suggested = false): DiagnosticAction =>
  action("cli_hint", command, { command }, suggested);

export const HOUR = 3600;
export const DAY = 86_400;

/** Runs at the newest end that fit. */
export function streak(runs: readonly CaseRun[], fits: (run: CaseRun) => boolean): readonly CaseRun[] {
  const other = runs.findIndex((run) => !fits(run));
  return other === -1 ? runs : runs.slice(0, other);
}

/** A length of time in its largest unit: `3 h`. */
export function renderSpan(seconds: number): string {
  if (seconds >= 2 * DAY) return `${Math.floor(seconds / DAY)} days`;
  if (seconds >= 2 * HOUR) return `${Math.floor(seconds / HOUR)} hours`;
  return `${Math.max(1, Math.floor(seconds / 60))} min`;
}
