import * as z from "zod";
import { defineCommand } from "../define.js";
import { shownChain } from "./text.js";

export default defineCommand({
  path: "fallback list",
  summary: "Show the model in use and its fallback models.",
  topic: "models",
  params: z.object({}),
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async (_params, ctx) => {
    const chain = await ctx.models.chain();
    return { text: shownChain(chain), data: chain };
  },
});
