import * as z from "zod";
import type { BoardStats } from "../../contracts/board/api.js";
import { defineCommand } from "../define.js";
import { boardFor } from "../params/board-target.js";
import { plain } from "../render/plain.js";
import { formatElapsed } from "../render/times.js";
import { usageText } from "./render/task.js";

export default defineCommand({
  path: "kanban stats",
  summary: "Count tasks by status and assignee.",
  topic: "kanban",
  params: z.object({}),
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  where: "root",
  run: async (_params, ctx) => {
    const { board, warnings } = await boardFor(ctx, "read");
    const data = await ctx.board.stats(board);
    return { text: textOf(data), data, warnings };
  },
});

function textOf(stats: BoardStats): string {
  const people = Object.entries(stats.by_assignee).sort(([a], [b]) => a.localeCompare(b));
  const { total } = stats.usage;
  return [
    "By status:",
    ...Object.entries(stats.by_status).map(([status, count]) => `  ${status.padEnd(10)} ${count}`),
    ...(people.length === 0 ? [] : ["", "By assignee:"]),
    ...people.map(([name, counts]) => `  ${plain(name).padEnd(20)} ${pairs(counts)}`),
    "",
    `Oldest ready: ${stats.oldest_ready_age_seconds === null ? "-" : formatElapsed(stats.oldest_ready_age_seconds)}`,
    `Tokens: ${usageText(total)}`,
    ...Object.entries(stats.usage.by_assignee).map(
      ([name, usage]) => `  ${plain(name).padEnd(20)} ${usageText(usage)}`,
    ),
  ].join("\n");
}

const pairs = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([status, count]) => `${status}=${count}`)
    .join(", ");
