import * as z from "zod";
import type { ParkTicket } from "../contracts/chat/form.js";
import type { McpRequest } from "../contracts/mcp/connection.js";
import { MCP_TICKET } from "../contracts/mcp/keys.js";

/** What a ticket may hold (`ParkTicket`). */
const TICKET_BYTES = 80 << 10;

/** One request of a model to a server. */
export interface ServerRequest {
  readonly method: McpRequest["method"];
  readonly params: Readonly<Record<string, unknown>>;
  /** It may run twice without harm. */
  readonly again: boolean;
}

const values = z.record(z.string(), z.unknown());

const parkedSchema = z.object({
  server: z.string(),
  request: z.object({
    method: z.enum(["tools/call", "resources/list", "resources/read", "prompts/list", "prompts/get"]),
    params: values,
    again: z.boolean(),
  }),
  state: z.string().optional(),
  /** The questions that are open, the answers before them, and what would have been asked after them. */
  ids: z.array(z.string()).min(1),
  responses: values,
  rest: z.array(z.string()),
});

/** What sends a call again when its question is answered after the call has ended. */
export interface Parked {
  readonly server: string;
  readonly request: ServerRequest;
  readonly state?: string | undefined;
  readonly ids: readonly string[];
  readonly responses: Readonly<Record<string, unknown>>;
  readonly rest: readonly string[];
}

/** Undefined: too much to keep, so the question ends with its call. */
export function ticketOf(parked: Parked): ParkTicket | undefined {
  return Buffer.byteLength(JSON.stringify(parked)) > TICKET_BYTES ? undefined : { kind: MCP_TICKET, data: parked };
}

/** Undefined: written by another version. */
export function parkedIn(data: unknown): Parked | undefined {
  const parsed = parkedSchema.safeParse(data);
  return parsed.success ? parsed.data : undefined;
}
