import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { defineCommand } from "../define.js";
import { refuseTools } from "../params/owner-needed.js";
import { WEBHOOKS } from "./text.js";

const list = (text: string | undefined) =>
  text
    ?.split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");

export default defineCommand({
  path: "webhook subscribe",
  aliases: ["webhook add"],
  summary: "Receive events from another system, for the agent or to forward as they are.",
  topic: "webhooks",
  params: z.object({
    name: z.string().describe("last part of the URL: lowercase letters, digits, - and _"),
    prompt: z
      .string()
      .optional()
      .describe(
        "prompt for the agent, or text to send with --deliver-only; {a.b} is a value, {__raw__} the whole event",
      ),
    events: z.string().optional().describe("comma-separated events to accept"),
    description: z.string().optional().describe("description, shown in the list"),
    skills: z.string().optional().describe("comma-separated skills to load"),
    deliver: z.string().default("log").describe("delivery target: log, github_comment, a platform or a target"),
    "deliver-chat-id": z.string().optional().describe("chat of the platform (default: its home channel)"),
    "deliver-thread-id": z.string().optional().describe("thread of that chat"),
    "deliver-extra": z
      .string()
      .optional()
      .describe("further values as JSON, e.g. repo and pr_number for github_comment"),
    secret: z.string().optional().describe("secret shared with the sender (default: generated, shown once)"),
    "deliver-only": z.boolean().default(false).describe("send the prompt without a model"),
    force: z.boolean().default(false).describe("replace a subscription of the same name"),
  }),
  positionals: ["name"],
  surfaces: ["cli"],
  access: "write",
  self: "settings",
  run: async (params, ctx) => {
    refuseTools(ctx, WEBHOOKS);
    const { name, prompt, description, deliver, secret, force } = params;
    const made = await ctx.gateway.subscribeWebhook({
      name,
      prompt,
      description,
      deliver,
      secret,
      force,
      deliver_only: params["deliver-only"],
      events: list(params.events),
      skills: list(params.skills),
      deliver_extra: {
        ...extraOf(params["deliver-extra"]),
        ...(params["deliver-chat-id"] === undefined ? {} : { chat_id: params["deliver-chat-id"] }),
        ...(params["deliver-thread-id"] === undefined ? {} : { thread_id: params["deliver-thread-id"] }),
      },
    });
    const { route } = made;
    const shown = secret === undefined ? [`Secret (shown once): ${made.secret}`] : [];
    const idle = made.listening ? [] : ["no gateway is running; agent gateway run receives events"];
    const data = { ...route, ...(secret === undefined ? { secret: made.secret } : {}), listening: made.listening };
    const warnings = [...made.warnings, ...idle];
    return { text: [`Webhook ${route.name}: POST ${route.url}`, ...shown].join("\n"), data, warnings };
  },
});

const Extra = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String));

function extraOf(text: string | undefined): Readonly<Record<string, string>> {
  if (text === undefined) return {};
  try {
    return Extra.parse(JSON.parse(text));
  } catch {
    throw new AppError("E_USAGE", "--deliver-extra must be a JSON object with text values", {
      hint: '--deliver-extra \'{"repo": "owner/name"}\'',
    });
  }
}
