import type { Inbound } from "../../../lib/contracts/board/platform-tag.js";
import type { SendParts } from "./send.js";

const HIDDEN = 1 << 6;
const DEFERRED = 5;
const DEFERRED_UPDATE = 6;
const COMMANDS = 1000;
const ACK_MS = 3000;

/** Tell the platform that a command or a press was taken; it waits three seconds for that. The answer comes later, as a row. */
export async function acknowledge(
  { api, commands }: Pick<SendParts, "api" | "commands">,
  event: Inbound,
  how: { readonly signal: AbortSignal; readonly hidden: boolean },
): Promise<void> {
  const [kind, id, token] = event.replyGrant?.token.split(":") ?? [];
  if (id === undefined || token === undefined) return;
  const command = kind === "command";
  if (command) {
    commands.set(id, token);
    const [oldest] = commands.keys();
    if (commands.size > COMMANDS && oldest !== undefined) commands.delete(oldest);
  }
  const body = command
    ? { type: DEFERRED, ...(how.hidden ? { data: { flags: HIDDEN } } : {}) }
    : { type: DEFERRED_UPDATE };
  const answer = await api.call("POST", `/interactions/${id}/${token}/callback`, {
    body,
    auth: false,
    signal: how.signal,
    totalMs: ACK_MS,
  });
  // It was too late, or no answer came: the platform has notified the person, and the answer goes to the channel.
  if (!answer.ok && command) commands.delete(id);
}
