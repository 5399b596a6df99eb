import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { defineCommand } from "../define.js";
import { exitOf, reportText } from "./text.js";

export default defineCommand({
  path: "checkpoints restore",
  summary: "Restore a directory or one file from a checkpoint.",
  topic: "checkpoints",
  params: z.object({
    id: z.string().describe("id of the checkpoint, 4 to 8 hex digits"),
    file: z.string().optional().describe("limit to this file or directory, relative to the project directory"),
    force: z.boolean().default(false).describe("also restore files changed outside the agent"),
    yes: z.boolean().default(false).describe("perform the rollback (default: only show the changes)"),
  }),
  positionals: ["id", "file"],
  short: { yes: "y" },
  surfaces: ["cli"],
  access: "write",
  run: async ({ id, file, force, yes }, ctx) => {
    const wanted = { which: id, ...(file === undefined ? {} : { file }) };
    if (!yes) {
      const { checkpoint, changes, outside } = await ctx.checkpoints.diff(wanted);
      const touched = force ? changes.length : changes.length - outside.length;
      throw new AppError(
        "E_USAGE",
        `rolling back ${checkpoint.directory} to ${checkpoint.id} would change ${touched} paths; confirm with -y`,
        {
          hint: `agent checkpoints diff ${checkpoint.id} shows them, agent checkpoints restore ${checkpoint.id} -y restores them`,
        },
      );
    }
    const report = await ctx.checkpoints.restore({ ...wanted, force });
    return { text: reportText(report), data: report, exit: exitOf(report) };
  },
});
