/** Sending to chats on behalf of a conversation or a command (gateway part, 13.3). */
import type { SessionId } from "../../base/units.js";
import type { ChatOrigin } from "../board/notify.js";
import type { RefusedFile } from "./courier.js";
import type { HomeView } from "./reach.js";

export interface NewMessageTo {
  /** A target list. */
  readonly target: string;
  readonly text: string;
  /** Bold first line. */
  readonly subject?: string | undefined;
  /** Absolute paths. */
  readonly files?: readonly string[] | undefined;
  /** Chat that it is sent from: what `origin` means. */
  readonly origin?: ChatOrigin | undefined;
  /** Conversation whose turn sends it: a message to its own chat is not added to it again. */
  readonly session?: SessionId | undefined;
  /** Job that it is sent by; it may not send to its own delivery target. */
  readonly job?: string | undefined;
  /** What the sender may see of homes; absent: everything. */
  readonly view?: HomeView | undefined;
  /** Lineage of that conversation: what `/tmp` means in `text`. */
  readonly lineage?: string | undefined;
  /** Longest wait for its end, in milliseconds. */
  readonly wait: number;
}

/** `sent` when all of it arrived, `pending` while some of it waits. */
export type MessageState = "sent" | "pending" | "unknown" | "failed";

/** What became of a message to one chat. */
export interface SentTo {
  /** As it can be named again. */
  readonly target: string;
  readonly state: MessageState;
  readonly message_id: string | null;
  /** Its rows of the outbox. */
  readonly rows: readonly string[];
  readonly error: string | null;
  /** It was added to the conversation of the chat; false also while a turn runs there, after which it is added. */
  readonly mirrored: boolean;
  /** It went to the home channel because no chat was named. */
  readonly home: boolean;
}

export interface SentMessage {
  readonly sent: readonly SentTo[];
  readonly refused: readonly RefusedFile[];
}

/** A target that messages can be sent to. */
export interface KnownTarget {
  readonly target: string;
  readonly name: string;
  readonly type: string;
  readonly guild: string | null;
  readonly home: boolean;
}

export interface ReactionTo {
  /** One target; it has to name a chat. */
  readonly target: string;
  readonly message_id: string;
  readonly emoji: string;
  readonly on: boolean;
  readonly origin?: ChatOrigin | undefined;
}

export interface MessagesApi {
  /** @throws E_INVALID, E_NOT_FOUND, E_AMBIGUOUS, E_FORBIDDEN for a job's own target */
  send(message: NewMessageTo, signal: AbortSignal): Promise<SentMessage>;
  /** Home channels, then chats by name. */
  targets(): Promise<readonly KnownTarget[]>;
  /** @throws E_STATE where the platform is not connected or has no reactions */
  react(reaction: ReactionTo, signal: AbortSignal): Promise<void>;
}
