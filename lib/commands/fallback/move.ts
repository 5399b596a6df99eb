import * as z from "zod";
import { defineCommand } from "../define.js";
import { shownChain } from "./text.js";

const place = z.coerce.number().int().min(1);

export default defineCommand({
  path: "fallback move",
  summary: "Reorder the fallback chain.",
  topic: "models",
  params: z.object({ from: place.describe("current position"), to: place.describe("new position") }),
  positionals: ["from", "to"],
  surfaces: ["cli", "rpc"],
  access: "write",
  self: "settings",
  run: async ({ from, to }, ctx) => {
    const chain = await ctx.models.moveFallback(from, to);
    return { text: shownChain(chain), data: { ok: true, ...chain } };
  },
});
