/** How the board's ledger hands messages to the process that owns the platforms (board part, 13.3). Built here, implemented by the gateway. */
import type { BoardSlug, TaskId, UnixSeconds } from "../../base/units.js";

/** Identity of a message: the same key is the same message, even if handed over several times. */
export interface NoticeKey {
  readonly board: BoardSlug;
  readonly subscription: number;
  readonly event: number;
}

/** Where it goes. `profile` null: whichever gateway owns the platform. */
export interface NoticeRoute {
  readonly platform: string;
  readonly profile: string | null;
}

/** A file that the task declared and the board stored. */
export interface NoticeFile {
  readonly id: number;
  readonly filename: string;
  readonly path: string;
  readonly size: number;
  readonly content_type: string;
}

export interface Notice extends NoticeKey, NoticeRoute {
  readonly chat_id: string;
  readonly thread_id: string;
  readonly user_id: string | null;
  /** Task that it is about, for a reply to it. */
  readonly task: TaskId | null;
  readonly text: string;
  readonly files: readonly NoticeFile[];
}

/**
 * What became of a message. `failed` and `refused` are tried again, not before `retry_at` where it is given. `unknown`: it may have arrived
 * and its outcome is unknown; it is not repeated.
 */
export type NoticeOutcome =
  | { readonly result: "accepted"; readonly message_id: string | null }
  | { readonly result: "refused" | "failed"; readonly error: string; readonly retry_at?: UnixSeconds }
  | { readonly result: "unknown"; readonly error: string };

/** `never`: it did not arrive, or handing it over again under its key is harmless. */
export type Recalled = NoticeOutcome | { readonly result: "never" };

/** What a platform that is connected can take. */
export interface PlatformReach {
  readonly replies: boolean;
  /** Largest file. */
  readonly fileBytes: number;
}

export interface Notifier {
  /** Undefined: not connected at this time; its messages wait. */
  reach(route: NoticeRoute): PlatformReach | undefined;
  /** Resolves when the outcome is known, however long that takes. What it throws counts as `failed`. Aborts when the owner stops. */
  hand(notice: Notice, signal: AbortSignal): Promise<NoticeOutcome>;
  /** What became of a message whose hand-over an earlier owner did not live to see. */
  recall(key: NoticeKey & NoticeRoute): Promise<Recalled>;
  /** Called when a platform is connected or let go. The returned function removes the listener. */
  onChange(listener: () => void): () => void;
}
