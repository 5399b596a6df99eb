import type { ReasonCode } from "../../contracts/board/explain.js";

/** What each code of `why` and `next` means and what to do about it, for the help topic. Concrete sentences are made in `reasons.ts`. */
export const REASONS: Readonly<Record<ReasonCode, { readonly means: string; readonly todo: string }>> = {
  stuck: {
    means: "its worker was to be ended and cannot be",
    todo: "end that process by hand; the board goes on by itself",
  },
  parent_rejected: {
    means: "a parent is done, but its result was rejected",
    todo: "reopen the parent, or accept it with edit --outcome accepted",
  },
  blocked_protocol: {
    means: "its worker stopped without completing or blocking it",
    todo: "read its last words, then unblock",
  },
  blocked_breaker: {
    means: "it failed as often as it may",
    todo: "see the error and the log, mend the cause, then unblock",
  },
  blocked_budget: { means: "its token budget is used up", todo: "raise kanban.max_tokens_per_task, then unblock" },
  unknown_assignee: { means: "its assignee is no profile", todo: "assign it to a profile, or mark it external" },
  triage_exhausted: {
    means: "automatic decomposition failed as often as it may",
    todo: "edit it, or specify or decompose it by hand",
  },
  triage_no_client: { means: "no auxiliary model can be used", todo: "configure auxiliary.kanban_decomposer" },
  blocked_worker: { means: "its worker needs an answer", todo: "answer in a comment, then unblock" },
  blocked_human: { means: "a person blocked it", todo: "unblock it when it may go on" },
  parent_blocked: { means: "a parent is blocked", todo: "see to the parent first" },
  board_paused: { means: "the board is paused", todo: "boards resume" },
  dispatcher_disabled: {
    means: "the owner runs, but dispatching is switched off",
    todo: "set kanban.dispatch_in_gateway, or run dispatch",
  },
  dispatcher_absent: {
    means: "no long-lived owner is running",
    todo: "start agent or agent --headless, or run dispatch",
  },
  triage_opted_out: {
    means: "automatic decomposition was ruled out for it",
    todo: "specify or decompose it, or edit --auto",
  },
  triage_manual: { means: "it waits in triage for a person", todo: "specify or decompose it" },
  held: { means: "it is held", todo: "promote it, or edit --no-hold" },
  parent_open: {
    means: "a parent is not done yet",
    todo: "see to the task at the end of the chain where why names one; else nothing",
  },
  scheduled_open_end: { means: "it is scheduled without a time", todo: "unblock or promote it" },
  scheduled_until: { means: "it waits for its time", todo: "nothing; unblock it to begin earlier" },
  deferred_throttle: {
    means: "the provider throttled its last run",
    todo: "nothing; it starts by itself, or at once for another assignee",
  },
  deferred_backoff: { means: "it failed lately and is tried again later", todo: "nothing; it starts by itself" },
  worker_leaving: { means: "processes of its last run still live", todo: "nothing; it starts when they are gone" },
  cap_profile: {
    means: "its assignee works on as many tasks as it may",
    todo: "wait, or raise kanban.max_in_progress_per_profile",
  },
  cap_board: { means: "the board works on as many tasks as it may", todo: "wait, or boards set --max-in-progress" },
  cap_global: { means: "as many workers run as may", todo: "wait, or raise kanban.max_in_progress" },
  external: { means: "something outside works it", todo: "that takes it with claim" },
  triage_settling: { means: "the next automatic attempt takes it", todo: "nothing" },
  will_assign_default: { means: "it has no assignee and will get the default", todo: "nothing" },
  running: { means: "a worker has it", todo: "nothing; follow it with tail or log -f" },
  ready_now: { means: "nothing stands in its way", todo: "nothing" },
  done: { means: "it is done", todo: "nothing" },
  archived: { means: "it is put away", todo: "unarchive brings it back" },
  parent_archived: { means: "a parent was archived and holds nothing up (information)", todo: "nothing" },
  no_model: { means: "its assignee is a profile without a model", todo: "set one: agent -p <profile> setup" },
};
