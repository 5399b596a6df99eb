import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "checkpoints clear-legacy",
  summary: "Remove checkpoint stores of an older layout.",
  topic: "checkpoints",
  params: z.object({
    force: z.boolean().default(false).describe("confirm the removal, which cannot be undone"),
  }),
  short: { force: "f" },
  surfaces: ["cli", "rpc"],
  access: "write",
  run: async ({ force }, ctx) => {
    const { legacy } = await ctx.checkpoints.status();
    if (!force && legacy.length > 0)
      throw new AppError("E_USAGE", `removing ${legacy.join(", ")} cannot be undone; confirm with -f`, {
        hint: "agent checkpoints clear-legacy -f removes them",
      });
    const removed = await ctx.checkpoints.clearLegacy();
    return {
      text: removed.length === 0 ? "No store of an older layout." : `Removed ${removed.join(", ")}.`,
      data: { removed },
    };
  },
});
