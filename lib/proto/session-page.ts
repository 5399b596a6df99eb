import type { MessageJson } from "./shapes/sessions.js";

/** A message by the segment that holds it and its place there. */
export interface PagePlace {
  readonly session_id: string;
  readonly ordinal: number;
  readonly id?: number;
}

/** A message of a page. */
export interface PagedMessage extends MessageJson {
  /** What announced each call of the message, by its id; a call that no tool of the program knows has none. */
  readonly call_previews?: Readonly<Record<string, string>>;
}

/** Messages of a conversation over all its segments, in order. */
export interface SessionPage {
  readonly messages: readonly PagedMessage[];
  /** What is older stands before this place; null: nothing is. */
  readonly older: PagePlace | null;
  /** What is newer stands behind this place; null: nothing is. */
  readonly newer: PagePlace | null;
  /** A turn of the conversation is open: calls at the end without a result run. Only with the newest messages. */
  readonly running?: boolean;
}
