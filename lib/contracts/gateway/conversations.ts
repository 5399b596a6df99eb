/** Conversations of chats as other programs see them (extensions part, 3). */
import type { SessionId } from "../../base/units.js";

export interface ChatConversation {
  /** Names the chat: platform, chat, thread and, where each member has their own, the person. */
  readonly session_key: string;
  /** Conversation that its messages go to now. */
  readonly session_id: SessionId;
  readonly platform: string;
  readonly chat_type: string;
  /** The chat's name, else that of the person who wrote last. */
  readonly display_name: string | null;
  readonly chat_name: string | null;
  readonly user_name: string | null;
  /** ISO 8601 in UTC. */
  readonly updated_at: string;
}

export interface ConversationFilter {
  readonly platform?: string | undefined;
  /** Part of a name or of the session key, in any case. */
  readonly search?: string | undefined;
  readonly limit: number;
}

export interface ChatConversationsApi {
  /** The last used first. */
  conversations(filter: ConversationFilter): Promise<readonly ChatConversation[]>;
  /** Undefined: no message came from there yet. */
  conversation(sessionKey: string): Promise<ChatConversation | undefined>;
  /** The chat that a conversation is held in; undefined: it is held in none. */
  conversationOf(session: SessionId): Promise<ChatConversation | undefined>;
}

/** What was said in a chat; calls of tools are left out. */
export interface SaidMessage {
  readonly id: number;
  readonly role: "user" | "assistant";
  readonly text: string;
  /** ISO 8601 in UTC. */
  readonly at: string;
}

/** A file of a message, as it is stored on this machine. */
export interface ChatAttachment {
  readonly name: string;
  readonly path: string;
  /** `image`, `audio`, `voice`, `video` or `document`. */
  readonly kind: string;
  readonly mime: string;
  /** 0: the file is gone. */
  readonly bytes: number;
}
