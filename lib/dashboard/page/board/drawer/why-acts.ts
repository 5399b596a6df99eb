import type { Status } from "../../../../contracts/board/board.js";
import type { ReasonCode, WaitReason } from "../../../../contracts/board/explain.js";

/** What the page can do about a reason: send the task on, change its fields, or something for the whole board. */
export type WhyAct =
  | { readonly does: "move"; readonly to: Status; readonly label: string }
  | { readonly does: "change"; readonly fields: Readonly<Record<string, unknown>>; readonly label: string }
  | { readonly does: "resume" | "pass"; readonly label: string };

const UNBLOCK: WhyAct = { does: "move", to: "ready", label: "Unblock" };
const PASS: WhyAct = { does: "pass", label: "Dispatch now" };

const ACTS: Readonly<Partial<Record<ReasonCode, WhyAct>>> = {
  blocked_human: UNBLOCK,
  blocked_worker: UNBLOCK,
  blocked_breaker: UNBLOCK,
  blocked_protocol: UNBLOCK,
  blocked_budget: UNBLOCK,
  scheduled_open_end: { does: "move", to: "ready", label: "Make ready now" },
  done: { does: "move", to: "todo", label: "Reopen" },
  held: { does: "change", fields: { hold: false }, label: "Hold no longer" },
  unknown_assignee: { does: "change", fields: { external: true }, label: "Mark as external" },
  triage_opted_out: { does: "change", fields: { auto_decompose: true }, label: "Decompose it automatically" },
  board_paused: { does: "resume", label: "Resume the board" },
  dispatcher_absent: PASS,
  dispatcher_disabled: PASS,
  ready_now: PASS,
};

/** What a button beside a reason does; undefined: there is nothing to do, or the page cannot. */
export const actFor = ({ code, action }: Pick<WaitReason, "code" | "action">): WhyAct | undefined =>
  action === undefined ? undefined : ACTS[code];
