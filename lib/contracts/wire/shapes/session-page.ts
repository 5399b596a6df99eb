import type { MessageJson } from "./sessions.js";

/** A message by the segment that holds it and its place there. */
export interface PagePlace {
  readonly session_id: string;
  readonly ordinal: number;
  readonly id?: number;
}

/** A message of a page. */
export interface PagedMessage extends MessageJson {
  /** What announced each call of the message, by its id; a call that no tool of the program knows does not have an entry. */
  readonly call_previews?: Readonly<Record<string, string>>;
}

/** How a turn ended and what it used. Its numbers have the names that they have in the event `turn.ended`. */
export interface TurnEnd {
  readonly turn_id: string;
  /** The one that answered last; empty: none did. */
  readonly model: string;
  /** ISO 8601 in UTC. */
  readonly ended_at: string;
  readonly duration_ms: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  /** In USD; null: no price is known. */
  readonly estimated_cost_usd: number | null;
}

/** Messages of a conversation over all its segments, in order. */
export interface SessionPage {
  readonly messages: readonly PagedMessage[];
  /** What is older stands before this place; null: nothing is. */
  readonly older: PagePlace | null;
  /** What is newer stands behind this place; null: nothing is. */
  readonly newer: PagePlace | null;
  /** Turns whose last message is on this page, once they have ended. */
  readonly turns?: readonly TurnEnd[];
  /** A turn of the conversation is open: calls at the end without a result run. Only with the newest messages. */
  readonly running?: boolean;
}
