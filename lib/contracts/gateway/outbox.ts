/** What is to be sent, and what became of it (gateway part, 6). */
import type { EpochMs, Ms } from "../../base/units.js";
import type { Account, EventOrigin, ReplyGrant } from "../board/platform-tag.js";

export type SendKind = "answer" | "reply" | "notice" | "pairing" | "cron" | "webhook" | "board" | "tool" | "approval";

/** How it is sent. `reply` uses a reply grant; `edit` and `remove` change a message that is there, and may be repeated for ever. */
export type SendVia = "send" | "reply" | "edit" | "remove";

export type OutboxState = "pending" | "sending" | "sent" | "unknown" | "failed" | "dropped";

/** Where it goes. `threadId` and `replyTo` null: to the chat itself. */
export interface SendTarget extends Account {
  readonly chatId: string;
  readonly threadId: string | null;
  readonly replyTo: string | null;
}

/** What is shown: one message of the platform, already cut to its size. */
export interface SendPayload {
  readonly text: string;
  /** `markdown` goes through the adapter's `format`. */
  readonly format: "plain" | "markdown";
  readonly silent: boolean;
  readonly file?: {
    readonly path: string;
    readonly name: string;
    readonly mime: string;
    readonly kind: "image" | "voice" | "audio" | "video" | "document";
  };
  /** Message that is edited or removed. */
  readonly messageId?: string;
  /** In place of `messageId`: row before this one in its lane whose message is edited. Where none arrived, nothing is sent. */
  readonly messageOf?: string;
  /** Beginning of a text that is still being written: what it reads when its writer stops. */
  readonly unfinished?: string;
  readonly grant?: ReplyGrant;
  /**
   * What only some platforms know. `buttons`: rows of `Button`, for platforms that have them. `alert` (true): the answer to a press (`via` "reply"
   * with the press's grant) is shown over the chat. Anything else is the adapter's own.
   */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** A button under a message. A press comes in as an event of kind `button` whose text is `data`, with the message's id in its source. */
export interface Button {
  readonly text: string;
  /** At most 64 bytes. */
  readonly data: string;
}

/** A message to be sent, as its author gives it. */
export interface NewSend {
  readonly kind: SendKind;
  readonly target: SendTarget;
  readonly payload: SendPayload;
  readonly via?: SendVia;
  readonly turn?: { readonly id: string; readonly seq: number };
  /** Makes inserting it idempotent: of all messages with one key only the first is ever stored. */
  readonly sourceKey?: string;
}

/** A row of the outbox. Instants are milliseconds. */
export interface OutboxRow {
  /** Order within its lane. */
  readonly seq: number;
  readonly id: string;
  readonly kind: SendKind;
  readonly turn_id: string | null;
  readonly seq_in_turn: number | null;
  readonly platform: EventOrigin;
  readonly account: string;
  readonly chat_id: string;
  readonly thread_id: string | null;
  readonly reply_to: string | null;
  /** Rows of one lane leave in order. */
  readonly lane: string;
  readonly via: SendVia;
  readonly source_key: string | null;
  /** The same for every attempt. */
  readonly idem_key: string;
  readonly state: OutboxState;
  /** Calls that were begun since it was last asked for. */
  readonly attempts: number;
  readonly next_attempt_at: EpochMs;
  readonly expires_at: EpochMs;
  /** 1: an earlier attempt may have arrived. Whatever comes later, it is never called failed. */
  readonly uncertain: number;
  /** First attempt of those that share the key; null before it. */
  readonly first_sent_at: EpochMs | null;
  /** Until then it may be repeated with its key; null: never. */
  readonly repeat_until: EpochMs | null;
  /** 1: it was repeated without protection because the configuration says so. */
  readonly resent: number;
  /** Times that an operator asked for it again. */
  readonly retried_by_operator: number;
  readonly platform_message_id: string | null;
  readonly error: string | null;
  readonly created_at: EpochMs;
  readonly updated_at: EpochMs;
  /** JSON of a `SendPayload`; null a week after it is finished. */
  readonly payload: string | null;
}

/** A row on its way to an adapter. */
export interface Outgoing {
  readonly id: string;
  readonly kind: SendKind;
  readonly via: SendVia;
  readonly target: SendTarget;
  readonly payload: SendPayload;
  readonly idemKey: string;
  /** An earlier attempt with the same key may have arrived: an answer that says so is a success. */
  readonly repeat: boolean;
}

/**
 * Outcome of one call. `refused` is certain: the message was not delivered. `unknown`: it may have arrived. `credential`: the platform refused the
 * token itself; the message waits, and the adapter is stopped.
 */
export type Receipt =
  | { readonly result: "sent"; readonly messageId: string | null; readonly continuationIds?: readonly string[] }
  | {
      readonly result: "refused";
      readonly error: string;
      readonly retryable: boolean;
      readonly retryAfterMs?: Ms;
      readonly credential?: true;
    }
  | { readonly result: "unknown"; readonly error: string };

/** What an adapter saw of a call, before it is judged (gateway part, 6.4). */
export type Observation =
  | { readonly saw: "accepted"; readonly messageId: string | null; readonly continuationIds?: readonly string[] }
  /** No byte of the request was written: connection refused, name not found, no route, TLS. */
  | { readonly saw: "unsent"; readonly error: string }
  /** The request was written, at least in part, and no whole answer came. */
  | { readonly saw: "cut"; readonly error: string }
  | {
      readonly saw: "answer";
      readonly status: number;
      /** The body is an error in the platform's own format. */
      readonly ownFormat: boolean;
      readonly error: string;
      readonly retryAfterMs?: Ms;
      /** Its code is documented as "try again". */
      readonly tryAgain?: boolean;
      /** It refuses the credential itself: 401, or a 403 about the token. */
      readonly credential?: boolean;
    };

/** What of a turn's text is visible already. Written by the sender of the turn alone (gateway part, 6.6). */
export interface TurnDelivery {
  readonly turn_id: string;
  readonly mode: "final" | "stream" | "placeholder";
  readonly state: "none" | "partial" | "complete";
  /** JSON list. */
  readonly message_ids: string;
  /** Characters (UTF-16 code units) of the final text that are visible. */
  readonly delivered_prefix_length: number;
  /** What the last message shows that is being written, without its cursor; null where none is. */
  readonly shown: string | null;
  /** 1: the rows of the turn are ended; nothing is noted any more. */
  readonly closed: number;
  readonly updated_at: EpochMs;
}

/** How a turn ended, for its rows: `failed` says in `sends` what went wrong. */
export interface InboxTurnEnd {
  readonly state: "answered" | "failed";
  readonly reason: string | null;
  readonly sends: readonly NewSend[];
}
