import * as z from "zod";
import type { Assignee } from "../../contracts/board/explain.js";
import { defineCommand } from "../define.js";
import { boardFor } from "../params/board-target.js";
import { plain } from "../render/plain.js";

export default defineCommand({
  path: "kanban assignees",
  summary: "List profiles and external names with assigned tasks.",
  topic: "kanban",
  params: z.object({}),
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  where: "root",
  run: async (_params, ctx) => {
    const { board, warnings } = await boardFor(ctx, "read");
    const data = await ctx.board.assignees(board);
    return { text: data.map(lineOf).join("\n"), data, warnings };
  },
});

function lineOf(one: Assignee): string {
  const kind = one.on_disk ? "profile" : one.external ? "external" : "unknown";
  const counts = Object.entries(one.counts).map(([status, count]) => `${status}=${count}`);
  return `${plain(one.name).padEnd(20)}  ${kind.padEnd(8)}  ${counts.length === 0 ? "-" : counts.join(", ")}`;
}
