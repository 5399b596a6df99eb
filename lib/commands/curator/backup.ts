import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "curator backup",
  summary: "Back up all skills and the skills of scheduled jobs.",
  topic: "curator",
  params: z.object({
    reason: z.string().max(200).default("by hand").describe("why, shown in the list of backups"),
  }),
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  run: async ({ reason }, ctx) => {
    const backup = await (await ctx.skills.curator()).backup(reason.replace(/\s+/g, " ").trim());
    return { text: `Backed up ${backup.files} files of the skills as ${backup.id}.`, data: backup };
  },
});
