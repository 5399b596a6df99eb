import type { Inbound } from "../../contracts/board/platform-tag.js";
import type { BusyMode } from "../../contracts/chat/queue.js";

const SAYS = /^\/(queue|q|steer)(?:@\S+)?\s+([\s\S]*\S)\s*$/i;
/** Forms of `/queue` that show or change what waits. */
const ACTION = /^(?:list|edit\s+\d+\s|move\s+\d+\s+\d+$|(?:rm|remove|steer)\s+\d+$|send(?:\s+\d+)?$)/;

/** A message whose writer says what it does while a turn runs: `/queue TEXT`, `/steer TEXT`. */
export interface InlineMode {
  readonly mode: Extract<BusyMode, "queue" | "steer">;
  readonly text: string;
}

/** Undefined: another message. */
export function parseInlineMode({ text }: Pick<Inbound, "text">): InlineMode | undefined {
  const [, verb = "", rest = ""] = SAYS.exec(text) ?? [];
  if (rest === "") return undefined;
  if (verb.toLowerCase() === "steer") return { mode: "steer", text: rest };
  return ACTION.test(rest) || rest === "list" ? undefined : { mode: "queue", text: rest };
}

/** What the model is given of a message. */
export const saidIn = (event: Pick<Inbound, "text">): string => parseInlineMode(event)?.text ?? event.text;
