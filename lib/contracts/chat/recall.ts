/** What the tool `session_search` asks about earlier conversations (core part, 12). */

import type { SessionId } from "../../base/units.js";

export interface RecallRequest {
  readonly query?: string | undefined;
  /** An id, or `profile/id`. */
  readonly session_id?: string | undefined;
  readonly around_message_id?: number | undefined;
  readonly limit: number;
  readonly window: number;
  readonly roles: readonly ("user" | "assistant" | "tool")[];
  readonly sort: "newest" | "oldest" | "relevance";
}

/** What one conversation may see of others: the roots of their lineages; undefined: all of them. */
export type RecallReach = ReadonlySet<SessionId> | undefined;

/** Earlier conversations, without the family of the one that asks. */
export interface RecallPort {
  /** One JSON object with `success` and `mode`. @throws AppError for what cannot be answered, with what would be right */
  recall(request: RecallRequest): Promise<Readonly<Record<string, unknown>>>;
}
