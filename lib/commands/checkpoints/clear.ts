import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "checkpoints clear",
  summary: "Remove all checkpoints of all directories.",
  topic: "checkpoints",
  params: z.object({
    force: z.boolean().default(false).describe("confirm the removal, which cannot be undone"),
  }),
  short: { force: "f" },
  surfaces: ["cli", "rpc"],
  access: "write",
  run: async ({ force }, ctx) => {
    const { projects } = await ctx.checkpoints.status();
    const count = projects.reduce((sum, one) => sum + one.checkpoints, 0);
    if (!force && count > 0) {
      const what = `removing ${count} checkpoints of ${projects.length} directories cannot be undone; confirm with -f`;
      throw new AppError("E_USAGE", what, { hint: "agent checkpoints clear -f removes them" });
    }
    const gone = await ctx.checkpoints.clear();
    return { text: `Removed ${gone.checkpoints} checkpoints of ${gone.projects} directories.`, data: gone };
  },
});
