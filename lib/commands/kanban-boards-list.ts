import * as z from "zod";
import type { ListedBoard } from "../proto/board-api.js";
import { defineCommand } from "./define.js";
import { plain } from "./kanban/render.js";

export default defineCommand({
  path: "kanban boards list",
  aliases: ["kanban boards ls"],
  summary: "List the boards.",
  topic: "kanban",
  params: z.object({ all: z.boolean().default(false).describe("archived boards too") }),
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  where: "root",
  run: async (_params, ctx) => {
    const data = await ctx.board.boards();
    const current = data.find((board) => board.is_current)?.slug ?? "default";
    return { text: [...data.map(lineOf), `Current board: ${current}`].join("\n"), data };
  },
});

function lineOf(board: ListedBoard): string {
  const counts = Object.entries(board.counts).map(([status, count]) => `${status}=${count}`);
  if (board.error !== undefined) return `${board.is_current ? "●" : " "} ${board.slug.padEnd(24)} cannot be opened: ${plain(board.error)}`;
  const paused = board.paused_at === null ? "" : "  paused";
  return `${board.is_current ? "●" : " "} ${board.slug.padEnd(24)} ${plain(board.name).padEnd(28)} ${counts.join(", ") || "(empty)"}${paused}`;
}
