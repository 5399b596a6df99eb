import type { SessionId } from "../../base/units.js";
import type { Inbound } from "../../contracts/board/platform-tag.js";
import type { ChatApi } from "../../contracts/chat/chat.js";
import type { TurnCommands } from "../commands/command-steps.js";
import { commandIn } from "../router/command-text.js";
import type { LiveTurns } from "./live-turns.js";

export interface TurnCommandsDeps {
  readonly chat: ChatApi;
  readonly live: LiveTurns;
  /** Answer to `/approve` or `/deny`; undefined: nothing of this chat is asked. */
  readonly answer: (event: Inbound, sessionKey: string) => Promise<string | undefined>;
  readonly at: (sessionKey: string) => Promise<SessionId | undefined>;
}

/** Commands after which nothing of the running turn counts. */
const ENDS: ReadonlySet<string> = new Set(["stop", "new", "reset", "clear"]);

/** Commands of a chat that answer or end its turn (gateway part, 10.3). */
export function turnCommands({ chat, live, at, answer }: TurnCommandsDeps): TurnCommands {
  const nameOf = (event: Inbound) => commandIn(event) ?? "";
  return {
    answer: async (event, sessionKey) => {
      const name = nameOf(event);
      return name === "approve" || name === "deny" ? answer(event, sessionKey) : undefined;
    },
    end: (event, sessionKey) => ENDS.has(nameOf(event)) && live.withdraw(sessionKey, { reason: "stopped" }),
    after: async (event, sessionKey, { ended, text }) => {
      if (nameOf(event) !== "stop") return text;
      if (ended) return text.startsWith("⚡ Nothing") ? "⚡ Stopped." : text;
      if (/\ball\b/.test(event.text)) return text;
      const session = await at(sessionKey);
      const left =
        session === undefined ? 0 : (await chat.processes(session)).filter(({ status }) => status === "running").length;
      return left === 0
        ? text
        : `${text} ${left} background ${left === 1 ? "process is" : "processes are"} running: /stop all stops ${left === 1 ? "it" : "them"}.`;
    },
  };
}
