import type { Inbound } from "../proto/gateway.js";

const COMMAND = /^\/([^\s/@]+)(@[^\s/]+)?(?=\s|$)/;

/** Name of the command that a text begins with. A path (`/usr/bin`) is none, nor is a slash behind a space. */
export function commandIn({ text }: Pick<Inbound, "text">): string | undefined {
  return COMMAND.exec(text)?.[1]?.toLowerCase().replaceAll("_", "-");
}

/** It names another bot: an adapter takes the name of its own off. */
export const forOtherBot = ({ text }: Pick<Inbound, "text">): boolean => COMMAND.exec(text)?.[2] !== undefined;

/** What is meant by words that people say instead of a command. */
export function spoken(event: Inbound): Inbound {
  if (event.kind !== "message" || event.source.chatType !== "dm") return event;
  return /^\s*restart gateway\s*$/i.test(event.text) ? { ...event, text: "/restart" } : event;
}
