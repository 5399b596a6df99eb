import * as z from "zod";
import { toAppError } from "../../base/errors.js";
import type { RecallRequest } from "../../contracts/chat/recall.js";
import { defineTool, type ToolContext, type ToolResult } from "../core/define.js";
import { jsonResult } from "../run/execute.js";
import { toFailureResult } from "../run/scope.js";

const ROLES = ["user", "assistant", "tool"] as const;

const params = z.object({
  query: z.string().optional().describe('Words that all must be there; "a phrase", begin*, OR, NOT.'),
  session_id: z.string().optional().describe("Read this session, or scroll in it with around_message_id."),
  around_message_id: z.number().int().optional().describe("Message to scroll to."),
  limit: z.number().int().min(1).max(10).default(3).describe("Sessions."),
  window: z.number().int().min(1).max(20).default(5).describe("Messages on each side."),
  role_filter: z.string().default("user,assistant").describe("Comma list of user, assistant, tool."),
  sort: z.enum(["newest", "oldest", "relevance"]).default("relevance"),
});

type Params = z.output<typeof params>;

export default defineTool({
  name: "session_search",
  toolset: "session_search",
  description:
    "Look into earlier conversations. Nothing given: the newest ones. query: where something was said, with the messages around it and the beginning " +
    "and end of that session. session_id: read a session; with around_message_id scroll in it (the last id of a window is the next anchor).",
  params,
  risk: "read",
  effects: () => ({ reads: ["sessions"], writes: [] }),
  limits: { ms: 30_000, chars: 100_000 },
  preview: (given) => (given.query ?? given.session_id ?? "newest").slice(0, 120),
  run,
});

async function run(given: Params, ctx: ToolContext): Promise<ToolResult> {
  if (ctx.recall === undefined)
    return toFailureResult("earlier conversations cannot be searched here", { success: false });
  const roles = rolesOf(given.role_filter);
  if (typeof roles === "string") return toFailureResult(roles, { success: false });
  const { query, session_id, around_message_id, limit, window, sort } = given;
  const request: RecallRequest = { query, session_id, around_message_id, limit, window, sort, roles };
  try {
    return { text: jsonResult(await ctx.recall.recall(request)) };
  } catch (error) {
    const { message, hint } = toAppError(error);
    return toFailureResult(message, { success: false, hint });
  }
}

/** The roles of a comma list, or what is wrong with it. */
function rolesOf(list: string): RecallRequest["roles"] | string {
  const named = list
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const roles = ROLES.filter((role) => named.includes(role));
  const wrong = named.find((name) => !ROLES.some((role) => role === name));
  if (wrong !== undefined) return `role_filter: '${wrong}' is no role; user, assistant and tool are`;
  return roles.length === 0 ? "role_filter names no role; user, assistant and tool are there" : roles;
}
