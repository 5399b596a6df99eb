import type { SessionId } from "../../base/units.js";
import type { Inbound } from "../../contracts/board/platform-tag.js";
import type { ChatApi } from "../../contracts/chat/chat.js";
import { commandIn } from "../router/command-text.js";
import type { LiveTurns } from "./live-turns.js";

export type RunTurnCommand = (event: Inbound, sessionKey: string) => Promise<string>;

export interface TurnCommandsDeps {
  readonly chat: ChatApi;
  readonly live: LiveTurns;
  /** Answer to `/approve` or `/deny`; undefined: nothing of this chat is asked. */
  readonly answer: (event: Inbound, sessionKey: string) => Promise<string | undefined>;
  readonly at: (sessionKey: string) => Promise<SessionId | undefined>;
}

/** Commands after which nothing of the running turn counts. */
const ENDS: ReadonlySet<string> = new Set(["stop", "new", "reset", "clear"]);

/** Commands of a chat, before which the turn is withdrawn that they end (gateway part, 10.3). */
export function turnCommands({ chat, live, at, answer }: TurnCommandsDeps, run: RunTurnCommand): RunTurnCommand {
  return async (event, sessionKey) => {
    const name = commandIn(event) ?? "";
    if (name === "approve" || name === "deny") return (await answer(event, sessionKey)) ?? run(event, sessionKey);
    if (!ENDS.has(name)) return run(event, sessionKey);
    const ended = live.withdraw(sessionKey, { reason: "stopped" });
    const text = await run(event, sessionKey);
    if (name !== "stop") return text;
    if (ended) return text.startsWith("⚡ Nothing") ? "⚡ Stopped." : text;
    if (/\ball\b/.test(event.text)) return text;
    const session = await at(sessionKey);
    const left =
      session === undefined ? 0 : (await chat.processes(session)).filter(({ status }) => status === "running").length;
    return left === 0
      ? text
      : `${text} ${left} background ${left === 1 ? "process runs" : "processes run"}: /stop all ends ${left === 1 ? "it" : "them"}.`;
  };
}
