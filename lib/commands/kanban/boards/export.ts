import { resolve } from "node:path";
import * as z from "zod";
import { defineCommand } from "../../define.js";
import { namedBoard, requirePerson } from "../../params/board-target.js";
import { plain } from "../render/task.js";

export default defineCommand({
  path: "kanban boards export",
  summary: "Export a board with its attachments to a file for boards import.",
  topic: "kanban",
  params: z.object({
    slug: z.string().describe("board"),
    output: z
      .string()
      .optional()
      .describe("file, or directory for a file named after the board (default: the current directory)"),
    logs: z.boolean().default(false).describe("include worker logs"),
  }),
  positionals: ["slug"],
  short: { output: "o" },
  surfaces: ["cli", "slash", "rpc"],
  access: "admin",
  where: "root",
  run: async ({ slug, output, logs }, ctx) => {
    await requirePerson(ctx);
    const { board } = await namedBoard(ctx, slug, "read");
    const { warnings, ...data } = await ctx.board.exportBoard(board, { path: resolve(ctx.cwd, output ?? "."), logs });
    const what = `${data.tasks} task(s), ${data.attachments} attachment(s), ${data.bytes} bytes`;
    return { text: `Board '${board}' exported to ${plain(data.path)}: ${what}`, data: { ...data, warnings }, warnings };
  },
});
