import * as z from "zod";

/** Shapes of the Bot API as far as the product reads them (gateway part, 16.1.1). What is not named is passed over. */
const Id = z.number().refine(Number.isSafeInteger);

export const AnswerShape = z.object({
  ok: z.boolean(),
  result: z.unknown().optional(),
  error_code: z.number().optional(),
  description: z.string().optional(),
  parameters: z
    .object({ retry_after: z.number().nonnegative().optional(), migrate_to_chat_id: Id.optional() })
    .optional()
    .catch(undefined),
});

export const MeShape = z.object({
  id: Id,
  username: z.string().optional(),
  first_name: z.string().optional(),
  has_topics_enabled: z.boolean().optional(),
  allows_users_to_create_topics: z.boolean().optional(),
});
export type Me = z.infer<typeof MeShape>;

const User = z.object({
  id: Id,
  is_bot: z.boolean().optional(),
  first_name: z.string().optional(),
  last_name: z.string().optional(),
  username: z.string().optional(),
});

export const ChatShape = z.object({
  id: Id,
  type: z.string(),
  title: z.string().optional(),
  username: z.string().optional(),
  first_name: z.string().optional(),
  last_name: z.string().optional(),
  is_forum: z.boolean().optional(),
});

const File = z.object({
  file_id: z.string(),
  file_size: z.number().optional(),
  file_name: z.string().optional(),
  mime_type: z.string().optional(),
});
export type WireFile = z.infer<typeof File>;

const Entity = z.object({ type: z.string(), offset: z.number(), length: z.number(), user: User.optional() });

const Plain = z.object({
  message_id: Id,
  date: z.number().optional(),
  chat: ChatShape,
  from: User.optional(),
  sender_chat: ChatShape.optional(),
  text: z.string().optional(),
  caption: z.string().optional(),
  entities: z.array(Entity).optional(),
  caption_entities: z.array(Entity).optional(),
  message_thread_id: Id.optional(),
  is_topic_message: z.boolean().optional(),
  media_group_id: z.string().optional(),
  photo: z.array(File).optional(),
  voice: File.optional(),
  audio: File.optional(),
  video: File.optional(),
  video_note: File.optional(),
  animation: File.optional(),
  document: File.optional(),
  sticker: File.extend({ emoji: z.string().optional(), set_name: z.string().optional() }).optional(),
  location: z.object({ latitude: z.number(), longitude: z.number() }).optional(),
  contact: z
    .object({ phone_number: z.string(), first_name: z.string().optional(), last_name: z.string().optional() })
    .optional(),
});

const Message = Plain.extend({ reply_to_message: Plain.optional().catch(undefined) });
export type WireMessage = z.infer<typeof Message>;

/** Only this of an update must be there: everything else may be new. */
export const UpdateId = z.object({ update_id: Id.nonnegative() });

export const UpdateShape = z.object({
  update_id: Id,
  message: Message.optional(),
  edited_message: Message.optional(),
  channel_post: Message.optional(),
  callback_query: z
    .object({ id: z.string(), from: User, data: z.string().optional(), message: Message.optional().catch(undefined) })
    .optional(),
  my_chat_member: z
    .object({
      chat: ChatShape,
      from: User,
      date: z.number().optional(),
      new_chat_member: z.object({ status: z.string() }),
    })
    .optional(),
});
export type Update = z.infer<typeof UpdateShape>;

export const SentShape = z.object({ message_id: Id });
export const TopicShape = z.object({ message_thread_id: Id });
export const FileShape = z.object({ file_path: z.string(), file_size: z.number().optional() });
