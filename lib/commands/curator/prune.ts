import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "curator prune",
  summary: "Archive skills that the agent made and that were not used for some days.",
  topic: "curator",
  params: z.object({
    days: z.number().int().min(1).max(36_500).default(90).describe("days without activity (default 90)"),
    yes: z.boolean().default(false).describe("archive them; without it the command only lists them and fails"),
    dry_run: z.boolean().default(false).describe("list them, change nothing"),
  }),
  short: { yes: "y" },
  surfaces: ["cli", "rpc"],
  access: "write",
  run: async ({ days, yes, dry_run: dryRun }, ctx) => {
    const curator = await ctx.skills.curator();
    if (dryRun || !yes) {
      const names = await curator.prune(days, true);
      if (dryRun || names.length === 0)
        return {
          text: names.length === 0 ? `No skill was unused for ${days} days.` : `Would archive ${names.join(", ")}.`,
          data: { archived: [], would_archive: names },
        };
      throw new AppError("E_USAGE", `archiving ${names.join(", ")} needs a confirmation`, {
        hint: "repeat it with -y",
      });
    }
    const archived = await curator.prune(days, false);
    const text = archived.length === 0 ? `No skill was unused for ${days} days.` : `Archived ${archived.join(", ")}.`;
    return { text, data: { archived, would_archive: [] } };
  },
});
