import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { defineCommand } from "../define.js";
import { exitOf, reportText } from "./text.js";

export default defineCommand({
  path: "checkpoints restore",
  summary: "Bring a directory, or one file, back to a checkpoint.",
  topic: "checkpoints",
  params: z.object({
    id: z.string().describe("id of the checkpoint, 4 to 8 hex digits"),
    file: z.string().optional().describe("only this file or directory, relative to the project directory"),
    force: z.boolean().default(false).describe("also what was changed by somebody else than the agent"),
    yes: z.boolean().default(false).describe("do it; without it the command only says what it would do"),
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
        `a rollback of ${checkpoint.directory} to ${checkpoint.id} would change ${touched} paths; confirm it with -y`,
        {
          hint: `agent checkpoints diff ${checkpoint.id} shows them, agent checkpoints restore ${checkpoint.id} -y does it`,
        },
      );
    }
    const report = await ctx.checkpoints.restore({ ...wanted, force });
    return { text: reportText(report), data: report, exit: exitOf(report) };
  },
});
