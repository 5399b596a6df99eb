import * as z from "zod";

/** Shapes of the platform as far as the product reads them (gateway part, 16.2.1). What is not named is passed over. Ids stay texts. */
const Id = z.string().regex(/^\d{1,20}$/);

export const ErrorShape = z.object({
  message: z.string(),
  code: z.number().optional(),
  retry_after: z.number().nonnegative().optional(),
  global: z.boolean().optional(),
  errors: z.unknown().optional(),
});

export const BotShape = z.object({
  url: z.string(),
  shards: z.number(),
  session_start_limit: z.object({
    total: z.number(),
    remaining: z.number(),
    reset_after: z.number(),
    max_concurrency: z.number(),
  }),
});

export const UserShape = z.object({
  id: Id,
  username: z.string().optional(),
  global_name: z.string().nullish(),
  bot: z.boolean().optional(),
});
export type WireUser = z.infer<typeof UserShape>;

const Attachment = z.object({
  id: Id,
  filename: z.string(),
  size: z.number().optional(),
  url: z.string(),
  content_type: z.string().nullish(),
  duration_secs: z.number().nullish(),
  waveform: z.string().nullish(),
});
export type WireAttachment = z.infer<typeof Attachment>;

const Snapshot = z.object({
  message: z.object({ content: z.string().optional(), attachments: z.array(Attachment).catch([]) }),
});

const Plain = z.object({
  id: Id,
  channel_id: Id,
  guild_id: Id.optional(),
  author: UserShape,
  member: z
    .object({ roles: z.array(Id).catch([]), nick: z.string().nullish() })
    .optional()
    .catch(undefined),
  content: z.string().catch(""),
  mentions: z.array(UserShape).catch([]),
  mention_roles: z.array(Id).catch([]),
  attachments: z.array(Attachment).catch([]),
  type: z.number().catch(0),
  timestamp: z.string().optional(),
  webhook_id: Id.optional(),
  sticker_items: z
    .array(z.object({ name: z.string() }))
    .optional()
    .catch(undefined),
  message_snapshots: z.array(Snapshot).optional().catch(undefined),
});

export const MessageShape = Plain.extend({ referenced_message: Plain.nullish().catch(undefined) });
export type WireMessage = z.infer<typeof MessageShape>;

export const ChannelShape = z.object({
  id: Id,
  type: z.number(),
  name: z.string().nullish(),
  topic: z.string().nullish(),
  guild_id: Id.optional(),
  parent_id: Id.nullish(),
  owner_id: Id.optional(),
  member: z.unknown().optional(),
  recipients: z.array(UserShape).optional().catch(undefined),
});
export type WireChannel = z.infer<typeof ChannelShape>;

export const GuildShape = z.object({
  id: Id,
  name: z.string().optional(),
  channels: z.array(z.unknown()).catch([]),
  threads: z.array(z.unknown()).catch([]),
});

const Option: z.ZodType<WireOption> = z.lazy(() =>
  z.object({
    name: z.string(),
    type: z.number(),
    value: z.union([z.string(), z.number(), z.boolean()]).optional(),
    options: z.array(Option).optional(),
  }),
);
/** What was given to an application command. */
export interface WireOption {
  readonly name: string;
  readonly type: number;
  readonly value?: string | number | boolean | undefined;
  readonly options?: readonly WireOption[] | undefined;
}

export const InteractionShape = z.object({
  id: Id,
  token: z.string().min(1).max(1000),
  type: z.number(),
  channel_id: Id.optional(),
  guild_id: Id.optional(),
  user: UserShape.optional(),
  member: z.object({ user: UserShape, roles: z.array(Id).catch([]), nick: z.string().nullish() }).optional(),
  data: z
    .object({
      name: z.string().optional(),
      custom_id: z.string().optional(),
      values: z.array(z.string()).optional(),
      options: z.array(Option).optional(),
    })
    .optional(),
  message: z
    .object({ id: Id, content: z.string().catch("") })
    .optional()
    .catch(undefined),
});
export type WireInteraction = z.infer<typeof InteractionShape>;

export const SentShape = z.object({ id: Id });
export const MemberShape = z.object({ roles: z.array(Id) });
export const CommandShape = z.object({
  id: Id,
  name: z.string(),
  description: z.string().catch(""),
  options: z.array(z.unknown()).catch([]),
});
