import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { defineCommand } from "../define.js";
import { shownChain } from "./text.js";

export default defineCommand({
  path: "fallback remove",
  summary: "Take a model out of the fallback chain.",
  topic: "models",
  params: z.object({ place: z.coerce.number().int().min(1).optional().describe("its number in the list") }),
  positionals: ["place"],
  surfaces: ["cli", "rpc"],
  access: "write",
  self: "settings",
  run: async ({ place }, ctx) => {
    if (place === undefined)
      throw new AppError("E_USAGE", "the number of the entry is missing", {
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
