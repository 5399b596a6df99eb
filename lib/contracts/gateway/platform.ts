/** What an adapter is to the gateway (gateway part, 2.5, 3.6, 3.11, 15.1). */
import type { EpochMs, Ms } from "../../base/units.js";
import type { Inbound, InboundMedia, PlatformTag } from "../board/platform-tag.js";
import type { Outgoing, Receipt, SendTarget } from "./outbox.js";
import type { Capabilities } from "./platform-traits.js";

/**
 * Why an adapter is not connected, and whether it is tried again by itself (gateway part, 3.6). `every`: at this pace, without growing waits, and
 * shown as `fatal` meanwhile.
 */
export const ADAPTER_CODES = {
  auth_failed: { retried: false },
  login_expired: { retried: false },
  token_in_use: { retried: true, every: 60_000 },
  conflict: { retried: false },
  missing_intents: { retried: false },
  permission_denied: { retried: false },
  config_invalid: { retried: false },
  sdk_missing: { retried: false },
  port_in_use: { retried: true },
  network: { retried: true },
  timeout: { retried: true },
  platform_error: { retried: true },
} as const satisfies Record<string, { readonly retried: boolean; readonly every?: Ms }>;

export type AdapterCode = keyof typeof ADAPTER_CODES;
export type AdapterState = "connecting" | "connected" | "retrying" | "fatal" | "paused" | "disconnected";

export interface AdapterStatus {
  readonly tag: PlatformTag;
  readonly account: string;
  readonly state: AdapterState;
  readonly error_code: AdapterCode | null;
  /** Says what is wrong and names the setting. Free of secrets. */
  readonly error_message: string | null;
  /** `host:port` where it listens for the platform; null while it does not. */
  readonly listen: string | null;
  /** When a poll last ended; null for one that does not poll, or has not yet. */
  readonly polled_at: EpochMs | null;
  readonly updated_at: EpochMs;
}

/** A reason not to be connected. */
export interface AdapterFault {
  readonly code: AdapterCode;
  readonly message: string;
}

/**
 * `pollTimeoutMs`: it polls, and a poll takes at most this time; it says so with `Reports.polled`. `listen`: address (`host:port`) that it listens on.
 */
export type Connected =
  | { readonly connected: true; readonly pollTimeoutMs?: Ms; readonly listen?: string }
  | ({ readonly connected: false } & AdapterFault);

/** How far the work on a message is: shown by a reaction where the platform has them. */
export type TurnPhase = "begun" | "answered" | "failed" | "stopped";

/** What an adapter tells while it is connected. Calls of an adapter that was let go meanwhile change nothing. */
export interface AdapterEvents {
  /** The connection is gone for good; the adapter is disconnected and, where the code allows, connected again. */
  lost(fault: AdapterFault): void;
  /** A poll has finished, with events or without. */
  polled(): void;
}

/** Wait within a send, without one of the calls that may run at once. Rejects when the send is ended. */
export type SendPause = (ms: Ms) => Promise<void>;

/**
 * An adapter. It is made with its configuration, its inlet and the ports; making it reads no network and loads no library. One that is
 * disconnected can be connected again.
 */
export interface Platform {
  readonly tag: PlatformTag;
  /** Name of the bot identity, known from the settings alone. */
  readonly account: string;
  readonly caps: Capabilities;
  /** Check the settings, claim the token, start receiving. What it throws counts as `platform_error`. Ends soon after an abort. */
  connect(reports: AdapterEvents, signal: AbortSignal): Promise<Connected>;
  /** Stop receiving, wait for accepts that run, close. Harmless twice, and while `connect` runs. Leaves no timer, socket or queue. */
  disconnect(): Promise<void>;
  /**
   * Send one row in one call; `via` and the presence of a file say which. Never repeats by itself, except for the fallbacks that the platform
   * documents after a certain refusal. What it throws counts as `unknown`. `rest`, where it is given, is how it waits between messages of one row:
   * others are sent meanwhile.
   */
  send(row: Outgoing, signal: AbortSignal, rest?: SendPause): Promise<Receipt>;
  /** Chats that must not be sent to, each with the time from now: their rows wait in the outbox meanwhile, without a call. */
  resting?(): ReadonlyMap<string, Ms>;
  /**
   * Make ready to send without receiving anything, in a process that runs no gateway; ended by `disconnect`. Undefined: it is. Absent: `send` works
   * without `connect`.
   */
  prepareSend?(signal: AbortSignal): Promise<AdapterFault | undefined>;
  /** Convert Markdown into the platform's dialect; pure. */
  format(markdown: string): string;
  /** Longest time that one send may take; absent: 20 s, 120 s with a file. */
  readonly sendTimeoutMs?: Ms;
  /**
   * The credential of an adapter that has it from elsewhere than the variables that its definition names; only its digest is kept. Undefined: it
   * does not have one yet.
   */
  credential?(): string | undefined;
  /** Fetch a file of an event. Throws when it is gone or too large. */
  fetchMedia?(media: InboundMedia, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /** Partial text of a message that is being written; best effort, never through the outbox. */
  edit?(
    chatId: string,
    messageId: string,
    text: string,
    how: { readonly final: boolean; readonly signal: AbortSignal },
  ): Promise<Receipt>;
  /**
   * Show that an answer is being written, as a message that the answer replaces later by an edit. The same `key` (a UUID) is the same message,
   * however often it is asked for. Present: every turn begins with it; best effort.
   */
  placeholder?(target: SendTarget, key: string, signal: AbortSignal): Promise<Receipt>;
  /** Partial text of an answer, where the platform shows drafts; best effort. `draftId` is the same for all of one answer, above 0. */
  draft?(chat: DraftChat, draftId: number, text: string, signal: AbortSignal): Promise<Receipt>;
  /** A message is worked on; best effort. */
  onTurn?(event: Inbound, phase: TurnPhase, signal: AbortSignal): Promise<void>;
  /** Set or take away (`on` false) a reaction of the bot; best effort. */
  react?(
    chatId: string,
    messageId: string,
    reaction: { readonly emoji: string; readonly on: boolean },
    signal: AbortSignal,
  ): Promise<Receipt>;
  /** Best effort. `threadId`: the thread that the answer goes to, for platforms whose threads are chats of their own. */
  typing?(chatId: string, on: boolean, signal: AbortSignal, threadId?: string | null): Promise<void>;
  /** Names of commands that only this platform has. */
  readonly commands?: readonly string[];
  /** Answer one of them; its sender may run it. */
  command?(event: Inbound, name: string, signal: AbortSignal): Promise<string>;
  createThread?(parentChatId: string, name: string, signal: AbortSignal): Promise<string | null>;
  chatInfo?(chatId: string, signal: AbortSignal): Promise<ChatInfo | undefined>;
  listChannels?(signal: AbortSignal): Promise<readonly ChatInfo[]>;
  /** Topics of direct chats, where the platform has them. */
  readonly topics?: DirectTopics;
}

/** What the platform does about topics of direct chats (gateway part, 16.1.7). Best effort; never throws for platform errors. */
export interface DirectTopics {
  /** Read again at each call; undefined: the platform did not answer. `mayCreate` null: it does not say. */
  flags(signal: AbortSignal): Promise<{ readonly enabled: boolean; readonly mayCreate: boolean | null } | undefined>;
  /** Make a topic with a pinned message in it; undefined: the chat cannot have topics. */
  open(
    chatId: string,
    how: { readonly name: string; readonly text: string },
    signal: AbortSignal,
  ): Promise<{ readonly threadId: string; readonly messageId: string | null; readonly pinned: boolean } | undefined>;
  /** Give a topic its title, unless the operator named it or forbids that. */
  rename(chatId: string, threadId: string, title: string, signal: AbortSignal): Promise<boolean>;
}

export interface DraftChat {
  readonly chatId: string;
  readonly threadId: string | null;
}

export interface ChatInfo {
  readonly chatId: string;
  readonly name: string;
  readonly type: string;
}
