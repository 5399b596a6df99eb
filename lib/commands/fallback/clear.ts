import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "fallback clear",
  summary: "Clear the fallback chain.",
  topic: "models",
  params: z.object({ yes: z.boolean().default(false).describe("skip the confirmation") }),
  short: { yes: "y" },
  surfaces: ["cli", "rpc"],
  access: "write",
  self: "settings",
  run: async ({ yes }, ctx) => {
    const { entries } = await ctx.models.chain();
    if (!yes && entries.length > 0)
      throw new AppError(
        "E_USAGE",
        `this removes ${entries.length === 1 ? "one entry" : `${entries.length} entries`}; confirm with -y`,
        { hint: "agent fallback clear -y" },
      );
    await ctx.models.clearFallback();
    return {
      text: entries.length === 0 ? "The fallback chain was empty." : "The fallback chain is empty.",
      data: { ok: true, removed: entries },
    };
  },
});
