import { resolve } from "node:path";
import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { readText } from "../../base/fs/files.js";
import type { KnownTarget, SentTo } from "../../contracts/gateway/messages.js";
import { type CommandContext, defineCommand } from "../define.js";

const WAIT_MS = 60_000;
const TEXT_BYTES = 1 << 20;

export default defineCommand({
  path: "send",
  summary: "Send a message to a chat on a messaging platform.",
  topic: "gateway",
  params: z.object({
    text: z.array(z.string()).default([]).describe("text; - reads standard input"),
    to: z
      .string()
      .optional()
      .describe("comma-separated targets: a platform (its home channel), <platform>:<chat>, or all"),
    file: z.string().optional().describe("read the text from this file"),
    attach: z.array(z.string()).default([]).describe("attach this file"),
    subject: z.string().optional().describe("subject, shown as a bold first line"),
    list: z.boolean().default(false).describe("list known targets"),
    quiet: z.boolean().default(false).describe("print nothing on success"),
  }),
  positionals: ["text..."],
  short: { to: "t", file: "f", attach: "a", subject: "s", list: "l", quiet: "q" },
  surfaces: ["cli"],
  access: "write",
  run: async (given, ctx) => {
    if (given.list) {
      const targets = await ctx.gateway.targets();
      return { text: listOf(targets), data: { targets } };
    }
    if (given.to === undefined)
      throw usage("missing target", 'agent send -t msgt "text"; agent send --list shows targets');
    const text = await textOf(given, ctx);
    if (text.trim() === "" && given.attach.length === 0)
      throw usage("missing message", "pass a text, -f FILE, -a FILE or -");
    const files = given.attach.map((path) => resolve(ctx.cwd, path));
    const { to: target, subject } = given;
    const { sent, refused } = await ctx.gateway.send({ target, text, subject, files, wait: WAIT_MS }, ctx.signal);
    const ok = sent.every(({ state }) => state === "sent") && refused.length === 0;
    const warnings = refused.map(({ path, reason }) => `cannot send ${path}: ${reason}`);
    const lines = sent.map(lineOf).join("\n");
    return { ...(given.quiet && ok ? {} : { text: lines }), data: { sent, refused }, exit: ok ? 0 : 1, warnings };
  },
});

const usage = (message: string, hint: string): AppError => new AppError("E_USAGE", message, { hint });

async function textOf(
  { text, file }: { readonly text: readonly string[]; readonly file?: string | undefined },
  ctx: CommandContext,
): Promise<string> {
  if (file !== undefined && text.length > 0) throw usage("message given twice", "pass either a text or -f FILE");
  if (text.length === 1 && text[0] === "-") return ctx.stdin(TEXT_BYTES);
  if (file === undefined) return text.join(" ");
  const read = await readText(resolve(ctx.cwd, file));
  if (read === undefined) throw usage(`no such file: ${file}`, "check the path");
  return read;
}

function lineOf({ target, state, message_id, rows, error }: SentTo): string {
  if (state === "sent") return `sent to ${target}${message_id === null ? "" : ` (message ${message_id})`}`;
  const what = `${state}: ${target}, ${rows.join(", ")}${error === null ? "" : `: ${error}`}`;
  if (state === "pending") return `${what}\nthe gateway will send it when possible; agent gateway outbox shows it`;
  return state === "unknown"
    ? `${what}\nit may have been delivered; agent gateway outbox retry ${rows[0] ?? ""} sends it again`
    : what;
}

function listOf(targets: readonly KnownTarget[]): string {
  if (targets.length === 0) return "(no targets: run /sethome in a chat, or send a message to the bot)";
  return targets
    .map(
      ({ target, name, type, guild }) =>
        `${target}  ${name} (${[type, ...(guild === null ? [] : [guild])].join(", ")})`,
    )
    .join("\n");
}
