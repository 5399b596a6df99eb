import * as z from "zod";
import type { MemoryFileState } from "../../contracts/memory/memory.js";
import { defineCommand } from "../define.js";
import { plainLines } from "../render/plain.js";
import { memoryPlace, requireMaster, scopeText } from "./memory-text.js";

export default defineCommand({
  path: "memory show",
  aliases: ["memory"],
  summary: "Show what a conversation in this directory remembers.",
  topic: "memory",
  params: z.object({}),
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async (_params, ctx) => {
    requireMaster(ctx);
    const place = memoryPlace(ctx);
    const files = [...(await ctx.memory.read("memory", place)), ...(await ctx.memory.read("user", place))];
    const { pending, damaged } = await ctx.memory.status();
    const waiting = pending === 0 ? [] : [`Waiting for you: ${pending} (/memory pending)`];
    const edited = damaged.map(({ path, why }) => `${path}: ${why}; /memory accept takes it as it is`);
    return {
      text: [...files.map(fileText), ...waiting, ...edited].join("\n\n"),
      data: { files, pending, damaged },
    };
  },
});

function fileText(file: MemoryFileState): string {
  const { target, entries, usage } = file;
  const title = target === "user" ? "User profile" : `Memory, ${scopeText(file)}`;
  const lines = entries.map((text) => `- ${plainLines(text).replaceAll("\n", "\n  ")}`);
  return [`${title} [${usage}]`, ...(lines.length === 0 ? ["(empty)"] : lines)].join("\n");
}
