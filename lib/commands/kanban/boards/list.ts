import * as z from "zod";
import { defineCommand } from "../../define.js";
import { boardLine } from "../render/boards.js";

export default defineCommand({
  path: "kanban boards list",
  aliases: ["kanban boards ls"],
  summary: "List the boards.",
  topic: "kanban",
  params: z.object({ all: z.boolean().default(false).describe("include archived boards") }),
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  where: "root",
  run: async ({ all }, ctx) => {
    const data = await ctx.board.boards({ archived: all });
    const current = data.find((board) => board.is_current)?.slug ?? "default";
    return { text: [...data.map(boardLine), `Current board: ${current}`].join("\n"), data };
  },
});
