import * as z from "zod";

/** Shapes of the platform as far as the product reads them (gateway part, 16.7.1). Ids are texts: long numbers were made texts before. */
const Id = z.union([z.string(), z.number()]).transform(String);
const Text = z.string().catch("");

const Media = z.object({ encrypt_query_param: Text, aes_key: Text, full_url: Text }).partial();
export type WireMedia = z.infer<typeof Media>;

const Ref = z.object({
  svr_id: Id.optional().catch(undefined),
  title: z.string().optional().catch(undefined),
  message_item: z
    .object({ text_item: z.object({ text: z.string() }).optional() })
    .optional()
    .catch(undefined),
});

export const ItemShape = z.object({
  type: z.number(),
  text_item: z.object({ text: Text }).optional().catch(undefined),
  image_item: z
    .object({ media: Media.optional(), aeskey: Text.optional(), mid_size: z.number().optional() })
    .optional()
    .catch(undefined),
  voice_item: z.object({ media: Media.optional(), text: Text.optional() }).optional().catch(undefined),
  file_item: z
    .object({ media: Media.optional(), file_name: Text.optional(), len: z.union([z.string(), z.number()]).optional() })
    .optional()
    .catch(undefined),
  video_item: z.object({ media: Media.optional(), video_size: z.number().optional() }).optional().catch(undefined),
  ref_msg: Ref.optional().catch(undefined),
});
export type WireItem = z.infer<typeof ItemShape>;

export const MessageShape = z.object({
  message_id: Id,
  from_user_id: z.string(),
  to_user_id: Text.optional(),
  create_time_ms: z.number().optional().catch(undefined),
  group_id: Text.optional(),
  room_id: Text.optional(),
  chat_room_id: Text.optional(),
  message_type: z.number().optional(),
  context_token: z.string().optional().catch(undefined),
  item_list: z.array(z.unknown()).catch([]),
});
export type WireMessage = z.infer<typeof MessageShape>;

export const AnswerShape = z.object({
  ret: z.number().optional(),
  errcode: z.number().optional(),
  errmsg: z.string().optional().catch(undefined),
});

export const UpdatesShape = AnswerShape.extend({
  msgs: z.array(z.unknown()).nullish(),
  get_updates_buf: z.string().optional(),
  longpolling_timeout_ms: z.number().optional().catch(undefined),
});
export const SentShape = z.object({ message_id: Id.optional().catch(undefined) });
export const TicketShape = z.object({ typing_ticket: z.string() });
export const UploadShape = z.object({ upload_param: z.string().optional(), upload_full_url: z.string().optional() });
