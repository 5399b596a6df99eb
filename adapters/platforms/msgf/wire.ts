import * as z from "zod";

/** Shapes of the platform as far as the product reads them (gateway part, 16.4.1). What is not named is passed over. */
export const AnswerShape = z.object({ code: z.number(), msg: z.string().catch(""), data: z.unknown().optional() });

/** The token stands beside the code, not in `data`. */
export const TokenShape = z.object({ tenant_access_token: z.string().min(1), expire: z.number().nonnegative() });
export const BotShape = z.object({ bot: z.object({ open_id: z.string().catch(""), app_name: z.string().catch("") }) });
export const EndpointShape = z.object({
  URL: z.string().min(1),
  ClientConfig: z
    .object({
      PingInterval: z.number().positive().catch(120),
      ReconnectCount: z.number().catch(-1),
      ReconnectInterval: z.number().nonnegative().catch(120),
      ReconnectNonce: z.number().nonnegative().catch(30),
    })
    .catch({ PingInterval: 120, ReconnectCount: -1, ReconnectInterval: 120, ReconnectNonce: 30 }),
});
export type Endpoint = z.infer<typeof EndpointShape>;
export const SentShape = z.object({ message_id: z.string().min(1) });
export const ImageShape = z.object({ image_key: z.string().min(1) });
export const FileShape = z.object({ file_key: z.string().min(1) });
export const ReactionShape = z.object({ reaction_id: z.string().min(1) });
export const ChatShape = z.object({ name: z.string().catch(""), chat_mode: z.string().catch("group") });

export const MessagesShape = z.object({
  items: z.array(z.object({ msg_type: z.string().catch("text"), body: z.object({ content: z.string().catch("{}") }) })),
});

const Ids = z.object({
  open_id: z.string().nullish(),
  user_id: z.string().nullish(),
  union_id: z.string().nullish(),
  app_id: z.string().nullish(),
});
export type WireIds = z.infer<typeof Ids>;

const Text = z.string().nullish().catch(null);

export const MessageShape = z.object({
  sender: z.object({ sender_id: Ids.nullish().catch(null), sender_type: z.string().catch("user") }),
  message: z.object({
    message_id: z.string().min(1),
    root_id: Text,
    parent_id: Text,
    thread_id: Text,
    create_time: Text,
    chat_id: z.string().min(1),
    chat_type: z.string(),
    message_type: z.string(),
    content: z.string().catch("{}"),
    mentions: z
      .array(z.object({ key: z.string(), id: Ids.nullish().catch(null), name: z.string().catch("") }))
      .nullish()
      .catch(null),
  }),
});
export type WireMessage = z.infer<typeof MessageShape>;

export const PressShape = z.object({
  operator: Ids,
  action: z.object({ value: z.unknown() }),
  context: z.object({ open_message_id: Text, open_chat_id: Text }).optional().catch(undefined),
});
export type WirePress = z.infer<typeof PressShape>;

export const MemberShape = z.object({ chat_id: z.string().min(1), name: Text, operator_id: Ids.nullish().catch(null) });

/** Only this of an event must be there: everything else may be new. */
export const EventShape = z.object({
  schema: z.string(),
  header: z.object({ event_id: z.string().min(1), event_type: z.string(), create_time: Text }),
  event: z.unknown(),
});
export type WireEvent = z.infer<typeof EventShape>;
