import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { defineCommand } from "../define.js";
import { backupsText } from "./text.js";

export default defineCommand({
  path: "curator rollback",
  summary: "Restore all skills from a backup, the newest by default. The present state is backed up first.",
  topic: "curator",
  params: z.object({
    list: z.boolean().default(false).describe("list the backups, change nothing"),
    id: z.string().max(200).optional().describe("backup to restore (default: the newest)"),
    yes: z.boolean().default(false).describe("restore without a question; needed unless --list is given"),
  }),
  short: { yes: "y" },
  surfaces: ["cli", "rpc"],
  access: "write",
  self: "settings",
  run: async ({ list, id, yes }, ctx) => {
    const curator = await ctx.skills.curator();
    const backups = await curator.backups();
    if (list) return { text: backupsText(backups), data: backups };
    const wanted = id === undefined ? backups[0] : backups.find((one) => one.id === id);
    if (wanted === undefined)
      throw id === undefined
        ? new AppError("E_NOT_FOUND", "no backup of the skills was made", { hint: "agent curator backup makes one" })
        : new AppError("E_NOT_FOUND", `unknown backup ${JSON.stringify(id)}`, {
            hint: "agent curator rollback --list shows the backups",
          });
    if (!yes)
      throw new AppError(
        "E_USAGE",
        `restoring ${wanted.files} files of the skills from ${wanted.id} needs a confirmation`,
        {
          hint: "repeat it with -y",
        },
      );
    const done = await curator.rollback(wanted.id);
    const jobs = done.jobs.length === 0 ? "" : ` Skills of scheduled jobs set back: ${done.jobs.join(", ")}.`;
    return {
      text: `Restored ${done.files} files of the skills from ${done.id}.${jobs} The state before is backup ${done.before}.`,
      data: done,
      warnings: done.warnings,
    };
  },
});
