import * as z from "zod";
import type { NextTask } from "../proto/board-explain.js";
import { defineCommand } from "./define.js";
import { plain } from "./kanban/render.js";
import { boardFor } from "./kanban/target.js";
import { stamp } from "./kanban/times.js";

export default defineCommand({
  path: "kanban next",
  summary: "List the ready tasks in the order in which they start, and what keeps each from it.",
  topic: "kanban",
  params: z.object({ limit: z.number().int().min(1).optional().describe("at most so many") }),
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  where: "root",
  run: async ({ limit }, ctx) => {
    const { board, warnings } = await boardFor(ctx, "read");
    const data = await ctx.board.next(board, { limit });
    return { text: data.length === 0 ? "(no ready tasks)" : data.map(lineOf).join("\n"), data, warnings };
  },
});

function lineOf(row: NextTask): string {
  const until = row.until === undefined ? "" : ` until ${stamp(row.until)} UTC`;
  const verdict = row.verdict === "start" ? "start" : `${row.code}${until}`;
  return `${row.task_id}  ${(row.assignee ?? "(unassigned)").padEnd(20)}  ${verdict.padEnd(20)}  ${plain(row.title)}`;
}
