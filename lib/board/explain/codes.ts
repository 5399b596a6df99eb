import type { ReasonCode } from "../../contracts/board/explain.js";

/** What each code of `why` and `next` means and what to do about it, for the help topic. Concrete sentences are made in `reasons.ts`. */
export const REASONS: Readonly<Record<ReasonCode, { readonly means: string; readonly todo: string }>> = {
  stuck: {
    means: "its worker cannot be stopped",
    todo: "kill that process manually; the board continues by itself",
  },
  parent_rejected: {
    means: "a parent is done, but its result was rejected",
    todo: "reopen the parent, or accept it with edit --outcome accepted",
  },
  blocked_protocol: {
    means: "its worker stopped without completing or blocking it",
    todo: "read its last output, then unblock",
  },
  blocked_breaker: {
    means: "its failure limit is reached",
    todo: "check the error and the log, fix the cause, then unblock",
  },
  blocked_budget: { means: "its token budget is used up", todo: "raise kanban.max_tokens_per_task, then unblock" },
  unknown_assignee: { means: "its assignee is not a profile", todo: "assign it to a profile, or mark it external" },
  no_worker_program: {
    means: "the worker program of its assignee is missing",
    todo: "install it, or set worker.program: native for that profile",
  },
  triage_exhausted: {
    means: "automatic decomposition failed too often",
    todo: "edit it, or run specify or decompose",
  },
  triage_no_client: { means: "no auxiliary model is available", todo: "configure auxiliary.kanban_decomposer" },
  blocked_worker: { means: "its worker asked a question", todo: "answer in a comment, then unblock" },
  blocked_human: { means: "it was blocked manually", todo: "unblock it when ready" },
  parent_blocked: { means: "a parent is blocked", todo: "resolve the parent first" },
  board_paused: { means: "the board is paused", todo: "boards resume" },
  dispatcher_disabled: {
    means: "the owner is running, but dispatching is disabled",
    todo: "set kanban.dispatch_in_gateway, or run dispatch",
  },
  dispatcher_absent: {
    means: "no long-lived owner is running",
    todo: "start agent or agent --headless, or run dispatch",
  },
  triage_opted_out: {
    means: "automatic decomposition is disabled for it",
    todo: "specify or decompose it, or edit --auto",
  },
  triage_manual: { means: "it waits in triage for manual work", todo: "specify or decompose it" },
  held: { means: "it is held", todo: "promote it, or edit --no-hold" },
  parent_open: {
    means: "a parent is not done",
    todo: "resolve the task at the end of the chain, if why names one",
  },
  scheduled_open_end: { means: "it is scheduled without a time", todo: "unblock or promote it" },
  scheduled_until: { means: "it is scheduled for later", todo: "nothing; unblock it to start earlier" },
  deferred_throttle: {
    means: "the provider rate-limited its last run",
    todo: "nothing; it starts automatically, or immediately with another assignee",
  },
  deferred_backoff: { means: "it failed and is retried later", todo: "nothing; it starts automatically" },
  worker_leaving: {
    means: "processes of its last run are still alive",
    todo: "nothing; it starts once they have exited",
  },
  cap_profile: {
    means: "its assignee has reached its worker limit",
    todo: "wait, or raise kanban.max_in_progress_per_profile",
  },
  cap_board: { means: "the board has reached its worker limit", todo: "wait, or boards set --max-in-progress" },
  cap_global: { means: "the worker limit is reached", todo: "wait, or raise kanban.max_in_progress" },
  external: { means: "it is worked externally", todo: "an external worker claims it with claim" },
  triage_settling: { means: "it is decomposed with the next automatic attempt", todo: "nothing" },
  will_assign_default: { means: "it has no assignee and will get the default", todo: "nothing" },
  running: { means: "a worker is running", todo: "nothing; follow it with tail or log -f" },
  ready_now: { means: "nothing; it is about to start", todo: "nothing" },
  done: { means: "it is done", todo: "nothing" },
  archived: { means: "it is archived", todo: "unarchive restores it" },
  parent_archived: { means: "a parent was archived and does not delay it (information)", todo: "nothing" },
  no_model: { means: "its assignee is a profile without a model", todo: "set one: agent -p <profile> setup" },
};
