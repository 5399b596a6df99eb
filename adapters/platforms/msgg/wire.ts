import * as z from "zod";

/** Shapes of the platform as far as the product reads them (gateway part, 16.5.1). What is not named is passed over. */
const text = z.string().optional().catch(undefined);

const User = z.object({ name: text, displayName: text, email: text, type: text });

const AttachmentShape = z.object({
  name: text,
  contentName: text,
  contentType: text,
  attachmentDataRef: z.object({ resourceName: text }).optional().catch(undefined),
  downloadUri: text,
  source: text,
});
export type WireAttachment = z.infer<typeof AttachmentShape>;

export const SpaceShape = z.object({
  name: z.string().regex(/^spaces\/[^/\s]+$/),
  displayName: text,
  spaceType: text,
  type: text,
  singleUserBotDm: z.boolean().optional().catch(undefined),
});
export type WireSpace = z.infer<typeof SpaceShape>;

const MessageShape = z.object({
  name: z.string().min(1),
  sender: User,
  createTime: text,
  clientAssignedMessageId: text,
  text,
  argumentText: text,
  thread: z.object({ name: text }).optional().catch(undefined),
  space: SpaceShape.optional().catch(undefined),
  attachment: z.array(AttachmentShape).optional().catch(undefined),
  slashCommand: z
    .object({ commandId: z.union([z.string(), z.number()]).transform(String) })
    .optional()
    .catch(undefined),
  quotedMessageMetadata: z.object({ name: text }).optional().catch(undefined),
});
export type WireMessage = z.infer<typeof MessageShape>;

const Payload = z.object({ message: MessageShape, space: SpaceShape.optional() });

/** The three envelopes in which a message comes. */
export const EnvelopeShape = z.object({
  chat: z
    .object({
      messagePayload: Payload.optional(),
      appCommandPayload: Payload.extend({
        appCommandMetadata: z
          .object({ appCommandId: z.union([z.string(), z.number()]).transform(String) })
          .optional()
          .catch(undefined),
      }).optional(),
    })
    .optional(),
  type: text,
  message: MessageShape.optional(),
  space: SpaceShape.optional(),
});

export const RelayShape = z.object({
  event_type: z.string(),
  sender_email: z.string(),
  text: z.string(),
  space_name: z.string().regex(/^spaces\/[^/\s]+$/),
  thread_name: text,
  message_name: z.string().min(1),
  sender_type: text,
});

export const SentShape = z.object({ name: z.string() });
export const UploadShape = z.object({ attachmentDataRef: z.record(z.string(), z.unknown()) });
export const ErrorShape = z.object({
  error: z.object({ code: z.number().optional(), message: z.string(), status: text }),
});
export const SpacesShape = z.object({ spaces: z.array(SpaceShape).catch([]), nextPageToken: text });

export const TokenShape = z.object({
  access_token: z.string().min(1),
  expires_in: z.coerce.number().positive().catch(3600),
  refresh_token: text,
  scope: text,
});

export const ServiceAccountShape = z.object({
  type: z.literal("service_account"),
  client_email: z.string().min(1),
  private_key: z.string().min(1),
  token_uri: z.string().optional(),
});

const Client = z.object({ client_id: z.string().min(1), client_secret: z.string().min(1) });
/** As the console of the platform gives it. */
export const ClientFileShape = z
  .union([z.object({ installed: Client }), z.object({ web: Client })])
  .transform((file) => ("installed" in file ? file.installed : file.web));
