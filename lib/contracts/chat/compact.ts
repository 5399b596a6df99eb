/** Compaction: a conversation that grows too large continues in a new segment that begins with a summary (core part, 8). */
import type { SessionId, TurnId } from "../../base/units.js";
import type { ToolCall, Usage } from "../models/model.js";
import type { MessagePicture } from "../models/pictures.js";

/** What made a conversation compact: the start of a turn, a round of tools, a refused request, the user, or a messaging platform's limit. */
export type CompactionReason = "start" | "round" | "overflow" | "manual" | "hygiene";

/** Event `compaction.started`. */
export interface CompactionStarted {
  readonly reason: CompactionReason;
  readonly tokens: number;
  readonly trigger: number;
  readonly window: number;
  readonly messages: number;
}

/** Event `compaction.ended`. `ok` is false when nothing was changed; `error` says why. */
export interface CompactionEnded {
  readonly ok: boolean;
  readonly reason: CompactionReason;
  readonly tokens_before: number;
  readonly tokens_after: number;
  readonly messages_before: number;
  readonly messages_after: number;
  /** Who wrote the summary: a model, or the program itself because no model could. */
  readonly method: "model" | "local";
  /** The segment in which the conversation continues; null when it is unchanged. */
  readonly new_session_id: SessionId | null;
  readonly duration_ms: number;
  /** Compactions of this lineage, with this one. */
  readonly count: number;
  readonly error?: string;
}

/** Event `compaction.undone`, published in the segment that ends; the conversation continues in `new_session_id`. */
export interface CompactionUndone {
  readonly new_session_id: SessionId;
  readonly tokens_before: number;
  readonly tokens_after: number;
  readonly messages_before: number;
  readonly messages_after: number;
}

/** A message that the new segment begins with: a copy, changed where it says so, or one that compaction wrote. */
export type SegmentItem =
  | {
      readonly id: number;
      readonly content?: string;
      readonly toolCalls?: readonly ToolCall[];
      /** Those that stay. */
      readonly pictures?: readonly MessagePicture[];
      readonly kind?: "summary";
    }
  | { readonly role: "user" | "assistant"; readonly content: string; readonly kind: "summary" | "note" };

/** Everything that one commit needs to let a conversation go on in a new segment. */
export interface NextSegment {
  readonly id: SessionId;
  /** The running turn; it continues in the new segment. */
  readonly turn?: TurnId;
  readonly items: readonly SegmentItem[];
  /** Lineage records that change with it; null removes one. */
  readonly records: Readonly<Record<string, string | null>>;
  readonly event: Omit<CompactionEnded, "new_session_id">;
}

/** Takes a conversation back into the segment before its newest one. */
export interface PreviousSegment {
  readonly id: SessionId;
  readonly records: Readonly<Record<string, string | null>>;
  readonly event: Omit<CompactionUndone, "new_session_id">;
}

/** A request of side work done for a conversation. */
export interface SideUse {
  readonly slot: string;
  readonly model: string;
  readonly provider: string;
  readonly usage: Usage;
}

/** What the lineage remembers of its compactions, record `compaction`. */
export interface CompactionRecord {
  /** How many there were; undone ones do not count. */
  readonly count: number;
  /** In a row that saved little. */
  readonly poor: number;
  /** Set when automatic compaction has given up on this conversation. */
  readonly stopped: boolean;
  /** Set by an undo: nothing automatic happens until nine tenths of the window are full. */
  readonly late: boolean;
  /** The newest one, while it can be undone: from which segment to which, and what the conversation had before. */
  readonly last?: {
    readonly from: SessionId;
    readonly to: SessionId;
    readonly tokens: number;
    readonly messages: number;
  };
  /** Shares of the trigger that the user was notified of, and in which segment. */
  readonly told?: { readonly segment: SessionId; readonly share: number };
}

/** What the user asks of a compaction. */
export interface CompactOptions {
  /** What matters, in the user's words. */
  readonly focus?: string;
  /** Newest exchanges that stay as they are, 1 to 100. */
  readonly keep?: number;
}

export interface CompactApi {
  /** Compact a conversation while no turn of it runs. @throws E_STATE (a turn runs, too little to compact), E_INVALID (keep) */
  compact(id: SessionId, options?: CompactOptions): Promise<CompactionEnded>;
  /** Take the newest compaction back. @throws E_STATE (none to undo, a turn runs, the window would be too small) */
  compactUndo(id: SessionId): Promise<CompactionUndone>;
}
