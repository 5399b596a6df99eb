import type { Client } from "../../lib/backplane/client.js";
import type { WireEvent } from "../../lib/contracts/wire/wire.js";
import { sanitizeLine } from "../draw/sanitize.js";
import type { Message } from "../model/messages.js";

const SAID: Readonly<Record<string, string>> = {
  "turn.ended": "has finished",
  "approval.requested": "asks for an approval",
  "clarify.requested": "has a question",
  "form.requested": "has a form to fill in",
  "password.requested": "asks for a password",
  "secret.requested": "asks for a secret",
};
const OF_PEOPLE: ReadonlySet<string> = new Set(["cli", "workspace", "inline", "acp"]);

interface Session {
  readonly title: string | null;
  readonly source: string;
  readonly relation: string | null;
}

/** Say what happened in a conversation that is not shown, where a person talks in it. */
export async function elsewhere(
  client: Client,
  event: WireEvent,
  signal: AbortSignal,
  send: (message: Message) => void,
): Promise<void> {
  const said = SAID[event.event];
  if (said === undefined || event.session_id === undefined) return;
  const session = await client.call<Session | null>(
    "session.get",
    { session_id: event.session_id },
    { signal, repeat: true },
  );
  if (session === null || !OF_PEOPLE.has(session.source) || session.relation === "delegate") return;
  send({
    type: "elsewhere",
    text: `${sanitizeLine(session.title ?? event.session_id)} ${said}; Ctrl+O lists sessions`,
  });
}
