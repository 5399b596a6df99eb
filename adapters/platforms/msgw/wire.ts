import * as z from "zod";

/** Shapes of the platform as far as the product reads them (gateway part, 16.6.1). What is not named is passed over. */
const text = z.string().optional().catch(undefined);

const Party = z.object({ id: z.string().min(1), name: text, aadObjectId: text, role: text });

const Attachment = z.object({
  contentType: z.string(),
  contentUrl: text,
  name: text,
  content: z.object({ downloadUrl: text, fileType: text }).optional().catch(undefined),
});
export type WireAttachment = z.infer<typeof Attachment>;

const Entity = z.object({ type: z.string(), text, mentioned: z.object({ id: text }).optional().catch(undefined) });

export const ActivityShape = z.object({
  type: z.string(),
  id: z.string().optional(),
  name: text,
  timestamp: text,
  serviceUrl: z.string(),
  channelId: text,
  from: Party,
  recipient: Party.optional().catch(undefined),
  conversation: z.object({
    id: z.string().min(1),
    conversationType: text,
    isGroup: z.boolean().optional().catch(undefined),
    name: text,
  }),
  text,
  replyToId: text,
  entities: z.array(Entity).optional().catch(undefined),
  attachments: z.array(Attachment).optional().catch(undefined),
  action: text,
  membersAdded: z
    .array(z.object({ id: z.string() }))
    .optional()
    .catch(undefined),
  membersRemoved: z
    .array(z.object({ id: z.string() }))
    .optional()
    .catch(undefined),
  channelData: z
    .object({
      team: z.object({ id: text, name: text }).optional().catch(undefined),
      channel: z.object({ id: text, name: text }).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
  /** Of a pressed button: as the card gave it, or below `action` of an invoke. */
  value: z.unknown().optional(),
});
export type Activity = z.infer<typeof ActivityShape>;

export const PressShape = z.union([
  z.object({ agent_action: z.string() }),
  z
    .object({ action: z.object({ data: z.object({ agent_action: z.string() }) }) })
    .transform(({ action }) => action.data),
]);

export const OpenIdShape = z.object({ jwks_uri: z.string() });
export const KeySetShape = z.object({
  keys: z.array(
    z.looseObject({ kid: z.string(), kty: z.string(), endorsements: z.array(z.string()).optional().catch(undefined) }),
  ),
});
export type WireKey = z.infer<typeof KeySetShape>["keys"][number];
export const SentShape = z.object({ id: z.string().min(1) });
export const ErrorShape = z.object({ error: z.object({ code: text, message: z.string().catch("") }) });
export const ConversationMembersShape = z.object({ id: text, name: text });
