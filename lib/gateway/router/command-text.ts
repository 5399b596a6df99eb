import type { Inbound } from "../../contracts/board/platform-tag.js";
import type { Button } from "../../contracts/gateway/outbox.js";

/** What a command answers, where that is more than a text. */
export interface CommandReply {
  readonly text: string;
  /** For platforms that have them. */
  readonly buttons?: readonly (readonly Button[])[];
}

const COMMAND = /^\/([^\s/@]+)(@[^\s/]+)?(?=\s|$)/;

/** Name of the command that a text begins with. A path (`/usr/bin`) is none, nor is a slash behind a space. */
export function commandIn({ text }: Pick<Inbound, "text">): string | undefined {
  return COMMAND.exec(text)?.[1]?.toLowerCase().replaceAll("_", "-");
}

/** It names another bot: an adapter takes the name of its own off. */
export const forOtherBot = ({ text }: Pick<Inbound, "text">): boolean => COMMAND.exec(text)?.[2] !== undefined;

/** What is meant by words that people say instead of a command; `triggers`: those that begin a new conversation. */
export function expandSpokenCommand(event: Inbound, triggers: readonly string[] = []): Inbound {
  if (event.kind !== "message" && event.kind !== "command") return event;
  const said = event.text.trim();
  if (event.source.chatType === "dm" && /^restart\s+gateway$/i.test(said)) return { ...event, text: "/restart" };
  const words = said.toLowerCase();
  const trigger = triggers.find(
    (one) => one !== "" && (words === one.toLowerCase() || words.startsWith(`${one.toLowerCase()} `)),
  );
  if (trigger === undefined || BEGINS.test(trigger)) return event;
  return { ...event, text: `/new${said.slice(trigger.length)}` };
}

/** Commands that begin a new conversation anyway. */
const BEGINS = /^\/(new|reset|clear)$/i;
