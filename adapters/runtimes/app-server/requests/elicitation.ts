import * as z from "zod";
import type { RuntimeAnswer } from "../../../../lib/contracts/runtimes/runtime.js";
import { toScreenLine } from "../../../../lib/safety/redact/text.js";
import type { Reply, RequestContext, RequestHandler } from "./types.js";

const PARAMS = z.looseObject({
  serverName: z.string(),
  message: z.string().nullish(),
  title: z.string().nullish(),
  _meta: z.unknown().optional(),
});

/** `_meta` of a request for permission to call a tool. */
const TOOL_CALL = z.looseObject({
  codex_approval_kind: z.literal("mcp_tool_call"),
  tool_name: z.string(),
  tool_title: z.string().nullish(),
  tool_params: z.unknown().optional(),
  persist: z.union([z.string(), z.array(z.string())]).nullish(),
});

type ToolCall = z.infer<typeof TOOL_CALL>;
type Scope = "session" | "always";

const reply = (action: "accept" | "decline", content: unknown = null, meta: unknown = null): Reply => ({
  result: { action, content, _meta: meta },
});

/** `mcpServer/elicitation/request`: whether an MCP tool may run, or a question of an MCP server (extensions part, 8.6). */
export const answerElicitation: RequestHandler = {
  refusal: reply("decline"),
  params: [
    "threadId",
    "turnId",
    "serverName",
    "mode",
    "message",
    "requestedSchema",
    "_meta",
    "url",
    "elicitationId",
    "challenge",
    "title",
    "description",
  ],
  answer: async (given, context) => {
    const params = PARAMS.parse(given);
    const { serverName } = params;
    const call = TOOL_CALL.safeParse(params._meta);
    if (serverName === context.callbackServer) return reply("accept", call.success ? null : {});
    if (call.success) return answerToolCall(serverName, call.data, context);
    const said = toScreenLine(params.message ?? params.title ?? "", 300);
    context.host.notice({ level: "warning", text: `declined a question of the MCP server ${serverName}: ${said}` });
    return reply("decline");
  },
};

async function answerToolCall(server: string, call: ToolCall, context: RequestContext): Promise<Reply> {
  const { host, cwd, signal } = context;
  const scopes = offeredScopes(call);
  const args = call.tool_params ?? {};
  const answer = await host.permit(
    {
      tool: `mcp.${server}.${call.tool_name}`,
      callId: startedCall(server, call.tool_name, context) ?? `${server}.${call.tool_name}`,
      kind: "tool",
      command: `${call.tool_name} of the MCP server ${server} ${JSON.stringify(args)}`,
      cwd,
      args,
      scopes,
      ...(typeof call.tool_title === "string" && call.tool_title !== "" ? { reason: call.tool_title } : {}),
    },
    signal,
  );
  return permitted(answer) ? reply("accept", null, persisted(answer, scopes)) : reply("decline");
}

const ITEM = z.looseObject({ type: z.literal("mcpToolCall"), server: z.string(), tool: z.string() });

/** Id of the newest call of the tool: the request names none. */
function startedCall(server: string, tool: string, { itemsStarted }: RequestContext): string | undefined {
  return [...itemsStarted].findLast(([, item]) => {
    const call = ITEM.safeParse(item);
    return call.success && call.data.server === server && call.data.tool === tool;
  })?.[0];
}

const permitted = (answer: RuntimeAnswer): answer is "once" | Scope => answer !== "deny" && answer !== "cancel";

/** What the app-server can remember of this request. */
function offeredScopes({ persist }: ToolCall): readonly Scope[] {
  const offered = typeof persist === "string" ? [persist] : (persist ?? []);
  return (["session", "always"] as const).filter((scope) => offered.includes(scope));
}

/** A scope that the request does not list is not sent. */
const persisted = (answer: "once" | Scope, scopes: readonly Scope[]): { readonly persist: Scope } | null =>
  answer !== "once" && scopes.includes(answer) ? { persist: answer } : null;
