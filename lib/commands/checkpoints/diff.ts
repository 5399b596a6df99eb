import * as z from "zod";
import { defineCommand } from "../define.js";
import { diffText } from "./text.js";

export default defineCommand({
  path: "checkpoints diff",
  summary: "Show what a rollback to a checkpoint would change.",
  topic: "checkpoints",
  params: z.object({
    id: z.string().describe("id of the checkpoint, 4 to 8 hex digits"),
    file: z.string().optional().describe("limit to this file or directory, relative to the project directory"),
  }),
  positionals: ["id", "file"],
  surfaces: ["cli"],
  access: "read",
  run: async ({ id, file }, ctx) => {
    const diff = await ctx.checkpoints.diff({ which: id, ...(file === undefined ? {} : { file }) });
    return { text: diffText(diff), data: diff };
  },
});
