/** What comes in from platforms, and what is kept of it (gateway part, 5 and 15.2). */
import type { EpochMs, Ms } from "../../base/units.js";
import { PLATFORM_TRAITS } from "../gateway/platform-traits.gen.js";

/** A platform. Its tag is the only name that the product has for it. */
export type PlatformTag = keyof typeof PLATFORM_TRAITS;
const tags = Object.keys(PLATFORM_TRAITS) as PlatformTag[]; // its own keys
/** Those of the product, and of plugins that are loaded. */
export const PLATFORM_TAGS: readonly PlatformTag[] = tags;

/** A plugin brings a platform. @returns forgets it */
export function addPlatformTag(tag: PlatformTag): () => void {
  tags.push(tag);
  return () => {
    const at = tags.indexOf(tag);
    if (at >= 0) tags.splice(at, 1);
  };
}

/** The graph, whose notifications of meetings come in. */
export const GRAPH_ORIGIN = "msgraph";

/** Other systems that post to the gateway's own listeners: signed hooks, and the graph. */
export const HOOK_ORIGINS = ["webhook", GRAPH_ORIGIN] as const;
export type HookOrigin = (typeof HOOK_ORIGINS)[number];

/** Who events come from. */
export type EventOrigin = PlatformTag | HookOrigin;

/** It came through a listener for other systems, not from a chat. */
export const isHook = (origin: string): boolean => HOOK_ORIGINS.some((one) => one === origin);

/** One bot identity per platform and home; its name is stable while the credentials belong to the same identity. */
export interface Account {
  readonly platform: EventOrigin;
  readonly account: string;
}

export type ChatType = "dm" | "group" | "channel" | "thread" | "forum" | "webhook";

/** Who said something and where. Ids are texts, exactly as the platform wrote them; `null` where it gives none. */
export interface InboundSource {
  readonly chatId: string | null;
  readonly chatName: string | null;
  readonly chatType: ChatType;
  readonly userId: string | null;
  readonly userIdAlt: string | null;
  readonly userName: string | null;
  readonly threadId: string | null;
  readonly chatTopic: string | null;
  readonly chatIdAlt: string | null;
  readonly guildId: string | null;
  readonly parentChatId: string | null;
  readonly messageId: string | null;
}

export type InboundKind =
  | "message"
  | "command"
  | "button"
  | "postback"
  | "reaction"
  | "edit"
  | "membership"
  | "webhook"
  | "notification";
export type InboundType =
  | "text"
  | "photo"
  | "voice"
  | "audio"
  | "video"
  | "document"
  | "sticker"
  | "location"
  | "command";

/** A file that came with an event. It is fetched after the event was accepted, perhaps by the next owner. */
export interface InboundMedia {
  readonly kind: string;
  readonly mime: string | null;
  readonly name: string | null;
  /** Bytes, as the platform announced them. */
  readonly size: number | null;
  /** Most bytes by the settings of the adapter, 0: as many as there are. Absent: what every platform may. */
  readonly limit?: number;
  /** The settings of the adapter take files of every type. */
  readonly anyType?: boolean;
  /** Data that the adapter needs to fetch it: JSON-serializable, opaque to others, without secrets. */
  readonly ref: unknown;
}

/** A right to answer that ends soon. `token` is the adapter's own. */
export interface ReplyGrant {
  readonly token: string;
  readonly expiresAt: EpochMs | null;
}

/**
 * What the adapter itself knows about who may talk, from its own settings at the time of receipt (gateway part, 8.1). `allow` and `deny`:
 * its rule for this chat is final, for every sender (groups and rooms of MSGL, groups of MSGF and MSGX; `deny` in a direct chat: its own policy shuts
 * that chat). `bot`: the sender is a bot that `<TAG>_ALLOW_BOTS` lets in; the allowlist of people does not count for it. `role`: the sender has one
 * of the allowed roles in this guild (MSGD). Absent: allowlists, pairing and the open door decide, in that order. An event that the adapter drops
 * for ever (filters of 5.3) is not accepted at all; `deny` is for those whose sender may learn the reason.
 */
export type OwnDecision = "allow" | "deny" | "bot" | "role";

/** One event, normalised. All of it is JSON-serialisable and free of secrets. */
export interface Inbound extends Account {
  /** The platform's stable identifier of the event, at most 512 characters. Unique with platform and account. */
  readonly eventId: string;
  readonly kind: InboundKind;
  readonly type: InboundType;
  readonly text: string;
  readonly source: InboundSource;
  readonly media: readonly InboundMedia[];
  readonly replyToMessageId: string | null;
  /** At most 500 characters. */
  readonly replyToText: string | null;
  /** What was said around it, for the model alone: with its own heading, put before the text. */
  readonly context?: string;
  readonly channelPrompt: string | null;
  readonly skills: readonly string[];
  /** Made by the product itself, not by a person. */
  readonly internal: boolean;
  /** What only this kind of event has: values of a button, of a postback, of a webhook. */
  readonly extra: Readonly<Record<string, unknown>> | null;
  readonly replyGrant: ReplyGrant | null;
  readonly sentAt: EpochMs | null;
  /** Set by the adapter alone, never from what the sender wrote. */
  readonly decided?: OwnDecision;
  /** It waited at the platform since before the first connect of this account: `gateway.backlog` decides about it. */
  readonly backlog?: boolean;
}

/** Position from which a poller resumes, stored with the events before it. An account has one per `name`. */
export interface Cursor extends Account {
  readonly name: string;
  readonly value: string;
}

/**
 * `accepted`: it is durable. `duplicate`: the key exists, in any state. `refused`: it can never be taken; nothing is stored. These three are
 * confirmed to the platform. `busy` is not: the platform keeps the event and delivers it again.
 */
export type Acceptance = "accepted" | "duplicate" | "refused" | "busy";

/** What a poll brought, taken or kept back as a whole. `busy`: nothing is stored, the old cursor holds. */
export type BatchAcceptance =
  | { readonly result: "stored"; readonly events: readonly Exclude<Acceptance, "busy">[] }
  | { readonly result: "busy" };

/** When an account was first connected; events from before are its backlog. */
export interface FirstConnect {
  readonly first: boolean;
  readonly at: EpochMs;
}

/** Where adapters put what they receive. Nothing here throws for a store that cannot write: that is `busy`. */
export interface Inlet {
  /** Resolves when the row is durable. Only then, and not for `busy`, the adapter confirms the event. */
  accept(event: Inbound): Promise<Acceptance>;
  /** All events of one poll and the cursor behind them, in one commit. */
  acceptBatch(events: readonly Inbound[], cursor: Cursor): Promise<BatchAcceptance>;
  /** The stored cursor; undefined before the first. Throws E_STORE when the store cannot be read. */
  cursor(account: Account, name: string): Promise<string | undefined>;
  /** Note that the account is connected. `first` is true once ever, and `at` stays that of the first time. Throws E_STORE. */
  connected(account: Account): Promise<FirstConnect>;
  /** Chats that something came from since then, the latest first; for platforms that keep nothing for those who are away. Throws E_STORE. */
  recent?(account: Account, since: EpochMs): Promise<readonly RecentChat[]>;
  /** Text of a message that came in or went out, by the platform's id, while it is kept. Throws E_STORE. */
  said?(account: Account, messageId: string): Promise<string | undefined>;
  /** Messages that wait for a chat may be tried at once: something that they waited for has come. Throws E_STORE. */
  sendable?(account: Account, chatId: string): Promise<void>;
}

/** A chat or thread that something came from. */
export interface RecentChat {
  readonly chatId: string;
  readonly threadId: string | null;
  readonly chatType: ChatType;
  /** Its latest events that became part of a conversation, at most 50. */
  readonly eventIds: readonly string[];
}

export const OPEN_INBOX_STATES = ["received", "waiting", "running"] as const;
/** `waiting`: admitted. `running`: part of an open turn. `failed`: the user was notified. `expired`: by the backlog rule. */
export type InboxState = (typeof OPEN_INBOX_STATES)[number] | "answered" | "refused" | "ignored" | "failed" | "expired";

/** A row of the inbox. Instants are milliseconds. */
export interface InboxRow {
  /** Order of acceptance, never reused. */
  readonly seq: number;
  readonly platform: EventOrigin;
  readonly account: string;
  readonly event_id: string;
  readonly kind: InboundKind;
  readonly chat_id: string | null;
  readonly thread_id: string | null;
  readonly chat_type: ChatType;
  readonly user_id: string | null;
  readonly user_id_alt: string | null;
  readonly user_name: string | null;
  readonly sent_at: EpochMs | null;
  readonly received_at: EpochMs;
  readonly state: InboxState;
  /** Given when it is admitted. */
  readonly session_key: string | null;
  /** 1: may share a turn with adjacent messages of the same sender. */
  readonly joins: number;
  /** End of the quiet time in which more may come that belongs to it. */
  readonly due_at: EpochMs;
  readonly turn_id: string | null;
  readonly reason: string | null;
  readonly updated_at: EpochMs;
  /** JSON of a `ReplyGrant`. */
  readonly reply_grant: string | null;
  /** JSON of the `Inbound`; null when the row is finished and a day old. */
  readonly payload: string | null;
}

/** How an event is admitted to its session. */
export interface Admission {
  readonly sessionKey: string;
  /** It may be joined with other messages of its sender into one turn. */
  readonly joins: boolean;
  /** Quiet time to wait for more that belongs to it. */
  readonly quietMs: Ms;
}

/** Rows that one turn answers, oldest first. */
export interface InboxBatch {
  readonly sessionKey: string;
  readonly rows: readonly InboxRow[];
  /** Their texts, joined with newlines. */
  readonly text: string;
  readonly receivedAt: EpochMs;
  /** The turn may begin then. */
  readonly dueAt: EpochMs;
}
