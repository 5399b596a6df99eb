import type { Inbound } from "../../contracts/board/platform-tag.js";
import type { NewSend } from "../../contracts/gateway/outbox.js";
import { toSendTarget } from "../targets/event-target.js";

interface Bare {
  readonly turn: string;
  readonly messageId: string;
  readonly text: string;
}

/** A message that is not continued, without its cursor. It shows nothing new. */
export const bareEdit = (event: Inbound, { turn, messageId, text }: Bare): readonly NewSend[] =>
  bare(event, { text, key: `bare:${turn}:${messageId}`, which: { messageId } });

/** The same for the message of a row, whenever and if ever that arrives. */
export const bareRow = (
  event: Inbound,
  { turn, row, text }: Omit<Bare, "messageId"> & { readonly row: string },
): readonly NewSend[] => bare(event, { text, key: `bare:${turn}:${row}`, which: { messageOf: row } });

interface Edit {
  readonly text: string;
  readonly key: string;
  readonly which: { readonly messageId: string } | { readonly messageOf: string };
}

function bare(event: Inbound, { text, key, which }: Edit): readonly NewSend[] {
  const target = toSendTarget(event);
  if (target === undefined || text.trim() === "") return [];
  const payload = { text: text.trimEnd(), format: "markdown", silent: true, ...which } as const;
  return [{ kind: "notice", via: "edit", target: { ...target, replyTo: null }, payload, sourceKey: key }];
}

/** How the keys of rows begin that show something of a turn before its end: first words and full messages, texts before calls, lost cursors. */
export const keysOfTurn = (turn: string): readonly string[] => [`stream:${turn}:`, `said:${turn}:`, `bare:${turn}:`];
