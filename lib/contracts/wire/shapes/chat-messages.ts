import * as z from "zod";
import type { ChatAttachment, ChatConversation, SaidMessage } from "../../gateway/conversations.js";
import type { KnownTarget, SentMessage } from "../../gateway/messages.js";
import { instant } from "./sessions.js";
import { sessionId } from "./values.js";

/** Schema of `ChatConversation`. */
export const chatConversationShape = z
  .object({
    session_key: z.string().describe("names the chat"),
    session_id: sessionId,
    platform: z.string(),
    chat_type: z.string(),
    display_name: z.string().nullable(),
    chat_name: z.string().nullable(),
    user_name: z.string().nullable(),
    updated_at: instant,
  })
  .meta({ id: "ChatConversation" }) satisfies z.ZodType<ChatConversation>;

/** Schema of `SaidMessage`. */
export const saidMessageShape = z
  .object({ id: z.int(), role: z.enum(["user", "assistant"]), text: z.string(), at: instant })
  .meta({ id: "SaidMessage" }) satisfies z.ZodType<SaidMessage>;

/** Schema of `ChatAttachment`. */
export const chatAttachmentShape = z
  .object({
    name: z.string(),
    path: z.string(),
    kind: z.string(),
    mime: z.string(),
    bytes: z.int().describe("0: the file is gone"),
  })
  .meta({ id: "ChatAttachment" }) satisfies z.ZodType<ChatAttachment>;

/** Schema of `KnownTarget`. */
export const knownTargetShape = z
  .object({
    target: z.string(),
    name: z.string(),
    type: z.string(),
    guild: z.string().nullable(),
    home: z.boolean(),
  })
  .meta({ id: "KnownTarget" }) satisfies z.ZodType<KnownTarget>;

/** Schema of `SentMessage`. */
export const sentToChatsShape = z
  .object({
    sent: z.array(
      z.object({
        target: z.string(),
        state: z.enum(["sent", "pending", "unknown", "failed"]),
        message_id: z.string().nullable(),
        rows: z.array(z.string()),
        error: z.string().nullable(),
        mirrored: z.boolean(),
        home: z.boolean(),
      }),
    ),
    refused: z.array(z.object({ path: z.string(), reason: z.string() })),
  })
  .meta({ id: "SentToChats" }) satisfies z.ZodType<SentMessage>;
