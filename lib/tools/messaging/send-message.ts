import * as z from "zod";
import { toAppError } from "../../base/errors.js";
import type { SentTo } from "../../contracts/gateway/messages.js";
import { lineageOf } from "../core/caged.js";
import { defineTool, type ToolContext, type ToolResult } from "../core/define.js";
import { jsonResult } from "../run/execute.js";
import { toFailureResult } from "../run/scope.js";
import { toOwnChat } from "./own-chat.js";
import { hasPlatform } from "./platforms.js";

const params = z.object({
  action: z
    .enum(["send", "list", "react", "unreact"])
    .default("send")
    .describe("list shows the targets that are known."),
  target: z
    .string()
    .max(2_000)
    .optional()
    .describe("A platform (its home channel), <platform>:<chat id or #name>, origin, all, or several with commas."),
  message: z.string().max(100_000).optional().describe("Text in Markdown. MEDIA:/absolute/path sends that file along."),
  emoji: z.string().max(64).optional().describe("With react and unreact."),
  message_id: z.string().max(200).optional().describe("Message that is reacted to."),
});

const WAIT_MS = 15_000;

export default defineTool({
  name: "send_message",
  toolset: "messaging",
  description:
    "Send a message to a chat on a messaging platform, other than the one that you are answering in. " +
    "The state of the result is sent, pending (it goes out later by itself: do not repeat it) or unknown (it may have arrived).",
  params,
  risk: "external",
  core: false,
  available: (place) => hasPlatform(place) || "no messaging platform is set up",
  effects: () => ({ reads: [], writes: ["world"] }),
  limits: { ms: 60_000, chars: 20_000 },
  preview: ({ action, target }) => `${action} ${target ?? ""}`.trim().slice(0, 120),
  run: async (given, ctx) => {
    try {
      return await act(given, ctx);
    } catch (error) {
      const { message, data } = toAppError(error);
      const { candidates, hint } = data ?? {};
      return {
        text: jsonResult({ success: false, error: message, ...(candidates === undefined ? {} : { candidates }), hint }),
        status: "error",
      };
    }
  },
});

async function act(
  { action, target, message, emoji, message_id }: z.output<typeof params>,
  ctx: ToolContext,
): Promise<ToolResult> {
  const all = ctx.ports.messages;
  const messages = all && toOwnChat(all, ctx);
  if (messages === undefined) return toFailureResult("messages cannot be sent from here");
  if (action === "list") return { text: jsonResult({ targets: await messages.targets() }) };
  if (target === undefined) return toFailureResult("target is missing: action list shows the targets that are known");
  const { origin } = ctx;
  if (action !== "send") {
    if (emoji === undefined || message_id === undefined) return toFailureResult(`${action} needs emoji and message_id`);
    await messages.react({ target, emoji, message_id, origin, on: action === "react" }, ctx.signal);
    return { text: jsonResult({ success: true }) };
  }
  if (message === undefined || message.trim() === "") return toFailureResult("message is missing");
  const job = ctx.env["AGENT_CRON_JOB_ID"];
  const { session } = ctx;
  const given = { target, text: message, origin, session, lineage: lineageOf(ctx), job, wait: WAIT_MS };
  const { sent, refused } = await messages.send(given, ctx.signal);
  const told = sent.map(shown);
  const result = told.length === 1 ? told[0] : { success: sent.every(arrives), sent: told };
  return {
    text: jsonResult({ ...result, ...(refused.length === 0 ? {} : { files_not_sent: refused }) }),
    ...(sent.every(arrives) ? {} : { status: "error" as const }),
  };
}

const arrives = ({ state }: SentTo): boolean => state === "sent" || state === "pending";

function shown({ target, state, message_id, mirrored, error, home, rows }: SentTo) {
  return {
    success: state === "sent" || state === "pending",
    target,
    state,
    mirrored,
    ...(message_id === null ? {} : { message_id }),
    ...(error === null ? {} : { error, rows }),
    ...(home ? { note: "sent to the home channel, because no chat was named" } : {}),
  };
}
