import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "auth reset",
  summary: "Use the exhausted and rejected credentials of a provider again.",
  topic: "auth",
  params: z.object({ provider: z.string().describe("provider") }),
  positionals: ["provider"],
  surfaces: ["cli", "rpc"],
  access: "write",
  self: "settings",
  run: async ({ provider }, ctx) => {
    const reset = await ctx.auth.reset(provider);
    const text =
      reset === 0 ? `No credential of ${provider} was exhausted or rejected.` : `Reset ${reset} of ${provider}.`;
    return { text, data: { provider, reset } };
  },
});
