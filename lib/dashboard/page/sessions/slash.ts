import type { SlashAnswer } from "../../../contracts/chat/slash.js";
import type { Services } from "../services.js";
import { formatRoute } from "../state/route.js";
import { noticed } from "../transcript/state.js";
import type { PageConversation } from "../transcript/use-transcript.js";

/** A message that begins like a command, or like a shell line (`!`), is one: a path at its beginning has a second slash. */
export const isCommand = (text: string): boolean => /^(?:\/[a-z][\w-]*(?:\s|$)|!!?\s*[^\s!])/i.test(text.trim());

/** Run a command as it was typed in a conversation. Its answer stands there without belonging to it. @returns what is to be typed next */
export async function runSlashCommand(
  { rpc }: Pick<Services, "rpc">,
  { session, transcript }: PageConversation,
  text: string,
): Promise<string> {
  const answer = await rpc.call<SlashAnswer>("command.run", { text: text.trim(), session_id: session.get() });
  transcript.update((now) => noticed(now, answer.exit === 0 ? "info" : "error", `${text.trim()}\n${answer.text}`));
  const { open, compose, copy, gone } = answer.next ?? {};
  // Pages that are not encrypted have no clipboard.
  if (copy !== undefined && "clipboard" in navigator) await navigator.clipboard.writeText(copy);
  if (open !== undefined) window.location.hash = formatRoute({ view: "sessions", id: open });
  else if (gone === true) window.location.hash = formatRoute({ view: "sessions" });
  return compose ?? "";
}
