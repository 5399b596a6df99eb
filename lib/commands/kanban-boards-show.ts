import * as z from "zod";
import { defineCommand } from "./define.js";
import { plain } from "./kanban/render.js";
import { namedBoard } from "./kanban/target.js";

export default defineCommand({
  path: "kanban boards show",
  aliases: ["kanban boards current"],
  summary: "Show the settings of a board.",
  topic: "kanban",
  params: z.object({ slug: z.string().optional().describe("board; default: the current one") }),
  positionals: ["slug"],
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  where: "root",
  run: async ({ slug }, ctx) => {
    const board = await ctx.board.board(await namedBoard(ctx, slug));
    const counts = Object.entries(board.counts).map(([status, count]) => `${status}=${count}`);
    const settings = [
      ["Description", board.description],
      ["Default workdir", board.default_workdir],
      ["Max in progress", board.max_in_progress === null ? "" : String(board.max_in_progress)],
      ["Orchestration", board.orchestration ?? ""],
      ["Paused", board.paused_at === null ? "" : `yes${board.paused_reason === null ? "" : `: ${board.paused_reason}`}`],
    ].flatMap(([name, value]) => (value === "" ? [] : [`${name}: ${plain(value ?? "")}`]));
    const tasks = `Tasks: ${board.total} total${counts.length === 0 ? "" : ` (${counts.join(", ")})`}`;
    return { text: [`Board: ${board.slug} (${plain(board.name)})`, ...settings, `Store: ${board.store}`, tasks].join("\n"), data: board };
  },
});
