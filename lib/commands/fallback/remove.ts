import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { defineCommand } from "../define.js";
import { shownChain } from "./text.js";

export default defineCommand({
  path: "fallback remove",
  summary: "Remove a model from the fallback chain.",
  topic: "models",
  params: z.object({ place: z.coerce.number().int().min(1).optional().describe("position in the list") }),
  positionals: ["place"],
  surfaces: ["cli", "rpc"],
  access: "write",
  self: "settings",
  run: async ({ place }, ctx) => {
    if (place === undefined)
      throw new AppError("E_USAGE", "missing number of the entry", {
        hint: "agent fallback list shows the numbers",
      });
    const { entries } = await ctx.models.chain();
    const gone = entries[place - 1];
    const chain = await ctx.models.removeFallback(place);
    return {
      text: `Removed ${gone?.model} via ${gone?.provider}.\n${shownChain(chain)}`,
      data: { ok: true, removed: gone, ...chain },
    };
  },
});
