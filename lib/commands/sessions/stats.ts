import * as z from "zod";
import { toIso } from "../../base/units.js";
import { defineCommand } from "../define.js";
import { count } from "../render/change-summary.js";
import { minute } from "../render/sessions.js";

export default defineCommand({
  path: "sessions stats",
  summary: "Show statistics of the session store.",
  topic: "sessions",
  params: z.object({}),
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async (_params, ctx) => {
    const stats = await ctx.chat.stats();
    const { oldest, newest, by_source } = stats;
    const span = oldest === null || newest === null ? [] : [`from ${minute(oldest)} to ${minute(newest)} (UTC)`];
    const lines = [
      `${count(stats.lineages, "conversation")} in ${count(stats.sessions, "session")}, ${stats.archived} archived`,
      `${count(stats.messages, "message")}, ${stats.hidden} of them undone; ${count(stats.tool_calls, "tool call")}`,
      `${stats.input_tokens} tokens in, ${stats.output_tokens} out`,
      `${(stats.bytes / 2 ** 20).toFixed(1)} MiB on disk`,
      ...Object.entries(by_source).map(([source, n]) => `  ${source}: ${n}`),
      ...span,
    ];
    const times = { oldest: oldest === null ? null : toIso(oldest), newest: newest === null ? null : toIso(newest) };
    return { text: lines.join("\n"), data: { ...stats, ...times } };
  },
});
