import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "checkpoints clear-legacy",
  summary: "Remove checkpoint stores of an older layout that were set aside.",
  topic: "checkpoints",
  params: z.object({
    force: z.boolean().default(false).describe("remove without asking; needed, since nothing brings them back"),
  }),
  short: { force: "f" },
  surfaces: ["cli", "rpc"],
  access: "write",
  run: async ({ force }, ctx) => {
    const { legacy } = await ctx.checkpoints.status();
    if (!force && legacy.length > 0)
      throw new AppError("E_USAGE", `removing ${legacy.join(", ")} cannot be undone; confirm it with -f`, {
        hint: "agent checkpoints clear-legacy -f removes what was set aside",
      });
    const removed = await ctx.checkpoints.clearLegacy();
    return {
      text: removed.length === 0 ? "Nothing was set aside." : `Removed ${removed.join(", ")}.`,
      data: { removed },
    };
  },
});
