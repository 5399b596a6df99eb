/** Where messages are sent that do not answer another message (gateway part, 13). */
import type { PlatformTag } from "../board/platform-tag.js";

/** A chat of a platform as its own identifiers name it. `threadId` null: the chat itself. */
export interface Address {
  readonly chatId: string;
  readonly threadId: string | null;
}

/** A chat, before it is known which bot identity brings the message. */
export interface TargetPlace extends Address {
  readonly platform: PlatformTag;
}

/** Where messages of a platform go that name no chat. */
export interface HomeChannel extends TargetPlace {
  readonly name: string;
}

/** A chat that is known by name: the platform lists it, or messages came from it. */
export interface KnownChat extends TargetPlace {
  readonly name: string;
  /** Type in the platform's words, or `dm`, `group`, ... of a chat that was seen. */
  readonly type: string;
  readonly guild?: string | undefined;
}

/** One chat of a target list, and what is to be said about how it was found. */
export interface FoundTarget extends TargetPlace {
  /** It is the home channel because no chat was named. */
  readonly home: boolean;
  /** The text names its thread itself. */
  readonly explicitThread: boolean;
}

/** What a target list names. `local`: nothing is sent for it. */
export interface FoundTargets {
  readonly local: boolean;
  /** Without duplicates, in the order of the list. */
  readonly places: readonly FoundTarget[];
}
