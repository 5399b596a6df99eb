import { DIAGNOSTIC_KINDS, type Diagnostic, type DiagnosticKind } from "../../contracts/board/explain.js";
import { dispatcherAbsent, dispatcherStalled, profileAuth } from "./board-wide.js";
import type { BoardCase, BoardRule, CaseFinding, TaskCase, TaskRule } from "./cases.js";
import { hallucinatedCards, phantomRefs } from "./claims.js";
import { protocolViolation, repeatedCrashes, repeatedFailures, throttled, workerStuck } from "./failures.js";
import { autoDecomposeExhausted, triageAuxUnavailable } from "./triage.js";
import { boardNotifyFailing, notifyFailing, workspaceKept } from "./upkeep.js";
import {
  blockUnblockCycling,
  missingProgram,
  strandedInReady,
  stuckInBlocked,
  unknownAssignee,
  waitingOnFailedParent,
} from "./waiting.js";

interface Entry {
  /** When it is raised, and how severe it is; for the help topic. */
  readonly raised: string;
  readonly severity: string;
  readonly task?: TaskRule;
  readonly board?: BoardRule;
}

/** Every diagnostic. Adding one is adding its kind and its row. */
export const DIAGNOSTICS: Readonly<Record<DiagnosticKind, Entry>> = {
  hallucinated_cards: {
    raised: "a completion names tasks that its worker did not create",
    severity: "error",
    task: hallucinatedCards,
  },
  phantom_refs: { raised: "a summary names tasks that do not exist", severity: "warning", task: phantomRefs },
  triage_aux_unavailable: {
    raised: "a triage task, but no auxiliary model is available",
    severity: "warning",
    task: triageAuxUnavailable,
  },
  auto_decompose_exhausted: {
    raised: "automatic decomposition has no attempts left",
    severity: "warning",
    task: autoDecomposeExhausted,
  },
  repeated_failures: {
    raised: "failures at or above the limit",
    severity: "error; critical from twice the limit",
    task: repeatedFailures,
  },
  repeated_crashes: {
    raised: "the last two or more workers crashed",
    severity: "error; critical from 4",
    task: repeatedCrashes,
  },
  protocol_violation: {
    raised: "blocked because its worker stopped without completing or blocking it",
    severity: "error",
    task: protocolViolation,
  },
  stuck_in_blocked: {
    raised: "blocked for more than 24 h without a comment",
    severity: "warning",
    task: stuckInBlocked,
  },
  block_unblock_cycling: {
    raised: "blocked and unblocked 3 times in 24 h",
    severity: "warning; error from 6",
    task: blockUnblockCycling,
  },
  stranded_in_ready: {
    raised: "ready for more than 30 min, not deferred, the board not paused",
    severity: "warning; error from 1 h; critical from 3 h",
    task: strandedInReady,
  },
  unknown_assignee: {
    raised: "ready or todo with an assignee that is not a profile",
    severity: "error",
    task: unknownAssignee,
  },
  no_worker_program: {
    raised: "ready or todo, and the worker program of its assignee is missing",
    severity: "error",
    task: missingProgram,
  },
  waiting_on_failed_parent: {
    raised: "a parent was rejected, or has been blocked for more than 1 h",
    severity: "warning",
    task: waitingOnFailedParent,
  },
  worker_stuck: { raised: "a worker cannot be stopped", severity: "critical", task: workerStuck },
  profile_auth: {
    raised: "a provider rejected 2 or more runs of a profile in 1 h (key or account)",
    severity: "error",
    board: profileAuth,
  },
  throttled: { raised: "the provider rate-limited the last 3 runs", severity: "warning", task: throttled },
  notify_failing: {
    raised: "messages to subscribers were discarded",
    severity: "warning",
    task: notifyFailing,
    board: boardNotifyFailing,
  },
  workspace_kept: {
    raised: "the worktree of an archived task is not clean and merged",
    severity: "warning",
    task: workspaceKept,
  },
  dispatcher_absent: {
    raised: "ready tasks, but no dispatcher for 10 min",
    severity: "error",
    board: dispatcherAbsent,
  },
  dispatcher_stalled: {
    raised: "ready tasks and free slots, but 6 passes started nothing",
    severity: "error",
    board: dispatcherStalled,
  },
  board_store: { raised: "cannot open the store of the board", severity: "critical" },
};

/** Findings about one task, worst first. Pure. */
export function diagnoseTask(of: TaskCase, board: BoardCase): readonly Diagnostic[] {
  const found = DIAGNOSTIC_KINDS.flatMap((kind) => {
    const finding = DIAGNOSTICS[kind].task?.(of, board);
    return finding === undefined ? [] : [toDiagnostic(kind, finding, board.now)];
  });
  return worstFirst(found);
}

/** Findings about the board as a whole, worst first. Pure. */
export function diagnoseBoard(board: BoardCase): readonly Diagnostic[] {
  const found = DIAGNOSTIC_KINDS.flatMap((kind) =>
    (DIAGNOSTICS[kind].board?.(board) ?? []).map((finding) => toDiagnostic(kind, finding, board.now)),
  );
  return worstFirst(found);
}

/** Keys in the order of the contract. A finding without an end holds now. */
export function toDiagnostic(kind: DiagnosticKind, finding: CaseFinding, now: number): Diagnostic {
  const { severity, title, detail, actions, first, last, count, data } = finding;
  return {
    kind,
    severity,
    title,
    detail,
    actions,
    first_seen_at: first,
    last_seen_at: last ?? now,
    count: count ?? 1,
    data,
  };
}

const WEIGHT = { critical: 2, error: 1, warning: 0 } as const;

/** The higher the worse. */
export const weigh = (one: Pick<Diagnostic, "severity">): number => WEIGHT[one.severity];

const worstFirst = (found: readonly Diagnostic[]): readonly Diagnostic[] =>
  found.length < 2 ? found : found.toSorted((a, b) => weigh(b) - weigh(a) || a.first_seen_at - b.first_seen_at);
