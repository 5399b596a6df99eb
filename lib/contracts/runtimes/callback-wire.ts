import * as z from "zod";

/** Variable with the path of the door's socket. */
export const CALLBACK_SOCKET = "AGENT_CALLBACK_SOCKET";

/** Variables of the board that the callback server of a worker has (board part, 7.3). */
export const CALLBACK_BOARD = [
  "AGENT_KANBAN_TASK",
  "AGENT_KANBAN_RUN_ID",
  "AGENT_KANBAN_CLAIM",
  "AGENT_KANBAN_BOARD",
  "AGENT_KANBAN_HOME",
] as const;

/** Variables that a program passes on to the callback server. */
export const CALLBACK_VARIABLES: readonly string[] = ["AGENT_HOME", CALLBACK_SOCKET, ...CALLBACK_BOARD];

/** Name of the callback server in the settings of programs. */
export const CALLBACK_SERVER = "agent-tools";

const id = z.int().min(0);

/** A line of the callback server to the door. */
export const callbackRequest = z.discriminatedUnion("method", [
  z.object({ method: z.literal("list"), id }),
  z.object({
    method: z.literal("call"),
    id,
    name: z.string().min(1).max(200),
    args: z.record(z.string(), z.unknown()).optional(),
  }),
  z.object({ method: z.literal("cancel"), id }),
]);

export type CallbackRequest = z.output<typeof callbackRequest>;

const error = z.object({ code: z.string(), message: z.string(), hint: z.string().optional() });

/** A line of the door to the callback server. Without an id: the request could not be read. */
export const callbackReply = z.object({
  id: id.nullable(),
  result: z.unknown().optional(),
  error: error.optional(),
});

export type CallbackReply = z.output<typeof callbackReply>;

export const callbackToolList = z.array(
  z.object({
    name: z.string(),
    description: z.string(),
    schema: z.record(z.string(), z.unknown()),
    reads: z.boolean(),
  }),
);

export const callbackResult = z.object({
  text: z.string(),
  isError: z.boolean(),
  images: z.array(z.object({ mime: z.string(), base64: z.string() })).optional(),
});
