import type { CallToolResult, McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import { toAppError } from "../../../lib/base/errors.js";
import type { Log } from "../../../lib/base/log/log.js";
import type { ServedAgent } from "../../../lib/contracts/mcp/served.js";

const limit = (usual: number) => z.int().min(1).max(200).default(usual);
const sessionKey = z.string().min(1).max(1_000).describe("session_key of a conversation");
const after_cursor = z.int().min(0).default(0).describe("events after this cursor; 0: since this server started");
const only = sessionKey.optional().describe("only events of this conversation");
const platform = z.string().min(1).max(40).optional().describe("only this platform");

interface ServedTool<P extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly description: string;
  readonly params: P;
  /** It changes nothing. */
  readonly reads: boolean;
  readonly run: (params: z.output<P>, agent: ServedAgent, signal: AbortSignal) => Promise<object>;
}

const define = <P extends z.ZodObject>(tool: ServedTool<P>): ServedTool => tool as unknown as ServedTool; // `run` only gets what `params` parsed

const SERVED_TOOLS: readonly ServedTool[] = [
  define({
    name: "conversations_list",
    description: "List conversations on messaging platforms, the last used first.",
    params: z.object({
      platform,
      limit: limit(50),
      search: z.string().min(1).max(200).optional().describe("part of a name or of the session_key"),
    }),
    reads: true,
    run: async (filter, agent, signal) => {
      const conversations = await agent.conversations(filter, signal);
      return { count: conversations.length, conversations };
    },
  }),
  define({
    name: "conversation_get",
    description: "Show one conversation.",
    params: z.object({ session_key: sessionKey }),
    reads: true,
    run: ({ session_key }, agent, signal) => agent.conversation(session_key, signal),
  }),
  define({
    name: "messages_read",
    description: "Read the last messages of a conversation, the newest last.",
    params: z.object({ session_key: sessionKey, limit: limit(50) }),
    reads: true,
    run: async ({ session_key, limit }, agent, signal) => {
      const messages = await agent.messages(session_key, limit, signal);
      return { count: messages.length, messages };
    },
  }),
  define({
    name: "attachments_fetch",
    description: "List the files of a message, with their paths on this machine.",
    params: z.object({ session_key: sessionKey, message_id: z.int().min(1) }),
    reads: true,
    run: async ({ session_key, message_id }, agent, signal) => {
      const attachments = await agent.attachments(session_key, message_id, signal);
      return { message_id, count: attachments.length, attachments };
    },
  }),
  define({
    name: "events_poll",
    description: "Return events that have happened: message, approval_requested, approval_resolved.",
    params: z.object({ after_cursor, session_key: only, limit: limit(20) }),
    reads: true,
    run: async ({ after_cursor, session_key, limit }, agent, signal) => {
      const { events, next } = await agent.events({ after: after_cursor, sessionKey: session_key }, limit, signal);
      return { events, next_cursor: next };
    },
  }),
  define({
    name: "events_wait",
    description: "Wait for the next event.",
    params: z.object({
      after_cursor,
      session_key: only,
      timeout_ms: z.int().min(0).max(300_000).default(30_000).describe("longest wait in milliseconds"),
    }),
    reads: true,
    run: async ({ after_cursor, session_key, timeout_ms }, agent, signal) => {
      const event = await agent.nextEvent({ after: after_cursor, sessionKey: session_key }, timeout_ms, signal);
      return event === undefined ? { event: null, reason: "timeout" } : { event };
    },
  }),
  define({
    name: "messages_send",
    description: "Send a message to a chat.",
    params: z.object({
      target: z.string().min(1).max(2_000).describe("platform:chat, as channels_list shows it"),
      message: z.string().min(1).max(100_000),
    }),
    reads: false,
    run: ({ target, message }, agent, signal) => agent.send(target, message, signal),
  }),
  define({
    name: "channels_list",
    description: "List chats that messages can be sent to.",
    params: z.object({ platform }),
    reads: true,
    run: async ({ platform }, agent, signal) => {
      const known = await agent.channels(platform, signal);
      const channels = known.map(({ target, name, type }) => ({
        target,
        platform: target.split(":")[0] ?? target,
        name,
        chat_type: type,
      }));
      return { count: channels.length, channels };
    },
  }),
  define({
    name: "permissions_list_open",
    description: "List approvals that wait for an answer.",
    params: z.object({}),
    reads: true,
    run: async (_, agent, signal) => {
      const open = await agent.approvals(signal);
      const approvals = open.map(({ request, session_id, asked_at, expires_at, data }) => ({
        id: request,
        session_id,
        tool: data.tool,
        command: data.command,
        cwd: data.cwd,
        reasons: data.reasons,
        options: data.options,
        asked_at: new Date(asked_at).toISOString(),
        expires_at: expires_at === null ? null : new Date(expires_at).toISOString(),
      }));
      return { count: approvals.length, approvals };
    },
  }),
  define({
    name: "permissions_respond",
    description: "Answer an open approval.",
    params: z.object({ id: z.string().min(1).max(100), decision: z.enum(["allow-once", "allow-always", "deny"]) }),
    reads: false,
    run: async ({ id, decision }, agent, signal) => {
      await agent.respond(id, decision, signal);
      return { ok: true, id };
    },
  }),
];

/** Register the ten tools. What fails is a result that says so, never an error of the protocol. */
export function addTools(server: McpServer, agent: ServedAgent, log: Log): void {
  for (const { name, description, params, reads, run } of SERVED_TOOLS) {
    const annotations = { readOnlyHint: reads, destructiveHint: !reads, openWorldHint: name === "messages_send" };
    server.registerTool(name, { description, inputSchema: params, annotations }, async (given, ctx) => {
      try {
        const result = await run(given, agent, ctx.mcpReq.signal);
        log.debug("tool called", { tool: name });
        return textResult(result);
      } catch (error) {
        const { message, code, hint } = toAppError(error);
        log.warning("tool failed", { tool: name, error: message });
        return { ...textResult({ error: message, code, hint }), isError: true };
      }
    });
  }
}

const textResult = (value: object): CallToolResult => ({ content: [{ type: "text", text: JSON.stringify(value) }] });
