import * as z from "zod";

/** Shapes of the webhook and of answers, as far as the product reads them (gateway part, 16.3). What is not named is passed over. */
export const BodyShape = z.object({ destination: z.string().optional(), events: z.array(z.unknown()) });

const Id = z.string().min(1).max(200);

const SourceShape = z.object({
  type: z.string(),
  userId: Id.optional(),
  groupId: Id.optional(),
  roomId: Id.optional(),
});
export type WireSource = z.infer<typeof SourceShape>;

const Message = z.object({
  id: Id,
  type: z.string().max(50),
  text: z.string().optional(),
  fileName: z.string().max(500).optional(),
  fileSize: z.number().nonnegative().optional(),
  title: z.string().optional(),
  address: z.string().optional(),
  keywords: z.array(z.string()).optional().catch(undefined),
  contentProvider: z
    .object({ type: z.string(), originalContentUrl: z.string().optional() })
    .optional()
    .catch(undefined),
});
export type WireMessage = z.infer<typeof Message>;

export const EventShape = z.object({
  type: z.string(),
  mode: z.string().optional(),
  timestamp: z.number().optional().catch(undefined),
  webhookEventId: z.string().min(1).max(512),
  replyToken: z.string().min(1).max(500).optional().catch(undefined),
  source: SourceShape.optional().catch(undefined),
  message: Message.optional().catch(undefined),
  postback: z
    .object({ data: z.string().max(2000) })
    .optional()
    .catch(undefined),
});
export type WireEvent = z.infer<typeof EventShape>;

export const ErrorShape = z.object({
  message: z.string(),
  details: z
    .array(z.object({ message: z.string().optional(), property: z.string().optional() }))
    .optional()
    .catch(undefined),
});

export const SentShape = z.object({
  sentMessages: z.array(z.object({ id: z.union([z.string(), z.number()]).transform(String) })).optional(),
});
export const InfoShape = z.object({
  userId: z.string(),
  basicId: z.string().optional(),
  displayName: z.string().optional(),
});

/** What the button of a slow answer carries. */
export const PressShape = z.object({ action: z.literal("show_response"), request_id: z.string().max(64) });
