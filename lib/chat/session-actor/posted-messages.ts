import type { TurnId } from "../../base/units.js";
import type { SubmitTurn } from "../../contracts/chat/chat.js";
import type { NewQueueItem, Posted, PostedMessage } from "../../contracts/chat/queue.js";
import { GO_ON } from "../transcript/resume.js";
import type { TurnStart } from "./turn-runner.js";

/** What a message has become, or the turn that it will be once it is durable. */
export type PostOutcome = { readonly posted: Posted } | { readonly begun: Promise<TurnId> };

/** Likewise for the one who posted it. */
export async function settlePosted(outcome: PostOutcome): Promise<Posted> {
  return "posted" in outcome ? outcome.posted : { did: "started", turn_id: await outcome.begun };
}

/** The name of a request, where it has one. */
export const requestOf = ({ request }: { readonly request?: string | undefined }) =>
  request === undefined ? {} : { request };

/** The turn that a message begins. */
export function startOf(turn: SubmitTurn | PostedMessage): TurnStart {
  const { session: _session, ...rest } = turn;
  const { signal: _signal, force: _force, ...start } = { signal: undefined, force: undefined, ...rest };
  return start;
}

/** The item that a message is while it waits. @param own the front end that the actor is worked for */
export function toItem(message: PostedMessage, own: string): NewQueueItem {
  const { text, source = own, by } = message;
  return { text, kind: "message", source, ...(by === undefined ? {} : { by }), ...requestOf(message) };
}

const WAS_CUT_OFF =
  "[The previous turn was cut off. What its tools did is recorded above: do not repeat work that is already done. " +
  "If the outcome of an action is unclear, say so and ask.]";

/** The turn that continues one that was cut off; its model learns what happened (core part, 2.6). */
export function goingOn(message: PostedMessage): TurnStart {
  const wireOnly = [{ role: "user", content: WAS_CUT_OFF } as const];
  return { text: GO_ON, wireOnly, resumes: true, ...requestOf(message) };
}

/** Ends of a turn that another one may go on from. */
export const CUT_OFF: ReadonlySet<string> = new Set([
  "owner_stopped",
  "interrupted_by_user",
  "interrupted_during_api_call",
]);
