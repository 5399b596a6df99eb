import { toAppError } from "../../base/errors.js";
import type { Log } from "../../base/log.js";
import type { SessionId } from "../../base/units.js";
import type { Outbox } from "../../gateway/outbox.js";
import type { ChatApi, TurnResult } from "../../proto/chat.js";
import type { Inbound } from "../../proto/gateway.js";
import { sendsOf } from "./ends.js";

export interface BackgroundDeps {
  readonly chat: Pick<ChatApi, "events">;
  readonly outbox: () => Pick<Outbox, "insert">;
  readonly log: Log;
}

/**
 * Posts the answer of `/background` in the chat that asked, once. What ends with the program is not worked any more, and nothing of it is
 * posted.
 */
export function backgroundAnswers({ chat, outbox, log }: BackgroundDeps): (event: Inbound, session: SessionId) => void {
  return (event, session) => {
    const posted = async () => {
      const result = await endOf(chat, session);
      if (result === undefined) return;
      const text = result.error === undefined ? result.final_response : `⚠️ ${result.error.message}`;
      const said = `🔎 Background ${session}:\n\n${text.trim() === "" ? "(no answer)" : text}`;
      await outbox().insert(sendsOf(event, said, { kind: "reply", format: "markdown", key: `background:${session}` }));
    };
    posted().catch((error: unknown) => log.error("the answer of a background prompt was not posted", { error: toAppError(error).message }));
  };
}

async function endOf(chat: Pick<ChatApi, "events">, session: SessionId): Promise<TurnResult | undefined> {
  const done = new AbortController();
  try {
    for await (const event of chat.events(session, 0, done.signal)) {
      if (event.event !== "turn.ended") continue;
      const result = event.data as unknown as TurnResult; // the turn wrote it as one
      return result.exit_reason === "owner_stopped" ? undefined : result;
    }
    return undefined;
  } finally {
    done.abort();
  }
}
