import * as z from "zod";
import { AppError } from "../../base/errors.js";
import type { CompactOptions } from "../../contracts/chat/compact.js";
import { compactionLines } from "../../contracts/chat/compaction-lines.js";
import { sessionOf } from "../conversation/conversation.js";
import { type CommandContext, type CommandResult, defineCommand } from "../define.js";

/** Exchanges that `here` keeps. */
const HERE = 2;

export default defineCommand({
  path: "compress",
  aliases: ["compact"],
  summary: "Compact this conversation: replace older messages with a summary.",
  topic: "compaction",
  params: z.object({
    words: z
      .array(z.string())
      .default([])
      .describe("focus of the summary; here [N] keeps the last N exchanges; undo reverts the last compaction"),
    keep: z.number().int().min(1).max(100).optional().describe("number of recent exchanges to keep unchanged"),
  }),
  positionals: ["words..."],
  surfaces: ["slash"],
  access: "write",
  busy: "idle",
  run: async ({ words, keep }, ctx) =>
    words.length === 1 && words[0] === "undo" ? undo(keep, ctx) : compress(wishOf(words, keep), ctx),
});

function wishOf(words: readonly string[], keep: number | undefined): CompactOptions {
  const [first, second, ...rest] = words;
  const kept = keep === undefined ? {} : { keep };
  if (first !== "here") return { ...kept, ...(words.length === 0 ? {} : { focus: words.join(" ") }) };
  if (keep !== undefined) throw new AppError("E_USAGE", "here and --keep exclude each other");
  const number = second !== undefined && /^\d+$/.test(second) ? Number(second) : undefined;
  const focus = [...(number === undefined && second !== undefined ? [second] : []), ...rest].join(" ");
  return { keep: number ?? HERE, ...(focus === "" ? {} : { focus }) };
}

async function compress(wish: CompactOptions, ctx: CommandContext): Promise<CommandResult> {
  const ended = await ctx.chat.compact(sessionOf(ctx), wish);
  return { text: compactionLines("compaction.ended", { ...ended }).join("\n"), data: ended, exit: ended.ok ? 0 : 1 };
}

async function undo(keep: number | undefined, ctx: CommandContext): Promise<CommandResult> {
  if (keep !== undefined) throw new AppError("E_USAGE", "--keep cannot be used with undo");
  const undone = await ctx.chat.compactUndo(sessionOf(ctx));
  return { text: compactionLines("compaction.undone", { ...undone }).join("\n"), data: undone };
}
