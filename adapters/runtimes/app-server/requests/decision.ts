import type { RuntimeAnswer, RuntimePermission } from "../../../../lib/contracts/runtimes/runtime.js";
import type { Reply, RequestContext } from "./types.js";

/** Decisions of the app-server by the answers of a conversation (extensions part, 8.5). */
export const DECISIONS: Readonly<Record<RuntimeAnswer, string>> = {
  once: "accept",
  session: "acceptForSession",
  always: "acceptForSession",
  deny: "decline",
  cancel: "cancel",
};

export const DECLINED: Reply = { result: { decision: "decline" } };

/** Put an approval to the conversation. */
export async function decide(asked: RuntimePermission, { host, signal }: RequestContext): Promise<Reply> {
  const answer = await host.permit(asked, signal);
  // A checkpoint for people takes one-time answers only.
  const once = asked.person === true && (answer === "session" || answer === "always");
  return { result: { decision: DECISIONS[once ? "once" : answer] } };
}
