import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "auth reset",
  summary: "Take every credential of a provider up again that rests, and keys that were given up.",
  topic: "auth",
  params: z.object({ provider: z.string().describe("provider") }),
  positionals: ["provider"],
  surfaces: ["cli", "rpc"],
  access: "write",
  self: "settings",
  run: async ({ provider }, ctx) => {
    const reset = await ctx.auth.reset(provider);
    const text = reset === 0 ? `No credential of ${provider} rested.` : `Taken up again: ${reset} of ${provider}.`;
    return { text, data: { provider, reset } };
  },
});
