import type { Client } from "../../lib/backplane/client.js";
import type { SessionJson } from "../../lib/contracts/wire/shapes/sessions.js";
import { age } from "../draw/ages.js";
import { sanitizeLine } from "../draw/sanitize.js";
import type { State } from "../model/state.js";
import type { SetTimer } from "../terminal/decode.js";

/** What is printed of a conversation once its screen is closed. */
export interface Closing {
  readonly session: string;
  readonly title: string;
  readonly lastedMs: number;
  readonly messages: number;
  readonly cost: number | null;
}

const ANSWER_MS = 300; // an owner that is gone or busy is not waited for

interface Asking {
  readonly client: Client;
  readonly after: SetTimer;
}

/** Of the shown conversation; undefined: nothing was said in it. */
export async function closing({ client, after }: Asking, state: State): Promise<Closing | undefined> {
  const { id, title } = state.session;
  if (id === undefined || state.chat.items.length === 0) return undefined;
  const late = new AbortController();
  const cancel = after(ANSWER_MS, () => late.abort());
  const plain = { session: id, title, lastedMs: 0, messages: state.chat.items.length, cost: null };
  try {
    const info = await client.call<SessionJson>(
      "session.get",
      { session_id: id },
      { signal: late.signal, repeat: true },
    );
    return {
      session: id,
      title: sanitizeLine(info.title ?? title),
      lastedMs: Date.parse(info.last_active_at) - Date.parse(info.started_at),
      messages: info.message_count,
      cost: info.estimated_cost_usd,
    };
  } catch {
    return plain; /* ok to lose: the line that says how to come back is what matters */
  } finally {
    cancel();
  }
}

/** The lines themselves: one that sums up, one that says how to come back. */
export function closingLines({ session, title, lastedMs, messages, cost }: Closing): readonly string[] {
  const parts = [
    title === "" ? "session" : title,
    ...(lastedMs > 0 ? [age(lastedMs)] : []),
    `${messages} ${messages === 1 ? "message" : "messages"}`,
    ...(cost === null || cost === 0 ? [] : [`$${cost.toFixed(2)}`]),
  ];
  return [parts.join(" · "), `Resume with: agent --resume ${session}`];
}
