import { resolve } from "node:path";
import * as z from "zod";
import { defineCommand } from "../../define.js";
import { requirePerson } from "../../params/board-target.js";

export default defineCommand({
  path: "kanban boards import",
  summary: "Create a board from an exported file. It is paused until resumed.",
  topic: "kanban",
  params: z.object({
    file: z.string().describe("file written by boards export"),
    as: z.string().optional().describe("use another slug"),
  }),
  positionals: ["file"],
  surfaces: ["cli", "slash", "rpc"],
  access: "admin",
  where: "root",
  run: async ({ file, as }, ctx) => {
    const { warnings, ...data } = await ctx.board.importBoard(resolve(ctx.cwd, file), { as }, await requirePerson(ctx));
    const { slug } = data.board;
    const text = `Board '${slug}' imported: ${data.tasks} task(s), ${data.attachments} attachment(s). It is paused.\nagent kanban boards resume ${slug} lets it start workers.`;
    return { text, data: { ...data, warnings }, warnings };
  },
});
