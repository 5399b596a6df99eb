import { resolve } from "node:path";
import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { writeNamed } from "../../base/fs/named-file.js";
import type { ExportFormat, SessionRecord } from "../../contracts/chat/chat.js";
import { type CommandContext, defineCommand } from "../define.js";

export default defineCommand({
  path: "sessions export",
  summary: "Export one or all sessions as Markdown or JSON.",
  topic: "sessions",
  params: z.object({
    id: z.string().optional().describe("id, unique prefix or title"),
    all: z.boolean().default(false).describe("all sessions"),
    format: z.enum(["md", "json", "jsonl"]).default("md").describe("md, json or jsonl"),
    output: z.string().optional().describe("output file (default: standard output)"),
  }),
  positionals: ["id"],
  short: { output: "o" },
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async ({ id, all, format, output }, ctx) => {
    if ((id === undefined) === !all)
      throw new AppError("E_USAGE", "missing session (or --all)", { hint: "agent sessions list lists them" });
    const sessions = all || id === undefined ? await everySession(ctx) : [await ctx.chat.find(id)];
    const ids = sessions.map((session) => session.id);
    const chunks = format === "json" && all ? asList(ctx, sessions) : inARow(ctx, sessions, format);
    if (output !== undefined) {
      const path = resolve(ctx.cwd, output);
      const text = await joined(chunks);
      await writeNamed(path, text, "-o FILE uses another path");
      return {
        text: `Exported ${count(ids.length)} to ${path}`,
        data: { file: path, format, sessions: ids, bytes: Buffer.byteLength(text) },
      };
    }
    if (ctx.json || ctx.surface !== "cli") {
      const text = await joined(chunks);
      return { text, data: { format, sessions: ids, text } };
    }
    for await (const chunk of chunks) await ctx.out(chunk);
    return { data: { format, sessions: ids }, streamed: true };
  },
});

const count = (sessions: number) => (sessions === 1 ? "1 session" : `${sessions} sessions`);

async function everySession(ctx: CommandContext): Promise<readonly SessionRecord[]> {
  const shown = await ctx.chat.list({ limit: 1_000_000 });
  const archived = await ctx.chat.list({ limit: 1_000_000, archived: true });
  return [...shown, ...archived];
}

/** All sessions in JSON are one list, also when there is only one. */
async function* asList(ctx: CommandContext, sessions: readonly SessionRecord[]): AsyncGenerator<string> {
  yield "[\n";
  for (const [at, session] of sessions.entries()) {
    if (at > 0) yield ",\n";
    yield* ctx.chat.export(session.id, "json");
  }
  yield "]\n";
}

async function* inARow(
  ctx: CommandContext,
  sessions: readonly SessionRecord[],
  format: ExportFormat,
): AsyncGenerator<string> {
  for (const [at, session] of sessions.entries()) {
    if (at > 0 && format === "md") yield "\n";
    yield* ctx.chat.export(session.id, format);
  }
}

async function joined(chunks: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const chunk of chunks) text += chunk;
  return text;
}
