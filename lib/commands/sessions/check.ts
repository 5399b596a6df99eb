import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "sessions check",
  summary: "Check the integrity of stored sessions.",
  topic: "sessions",
  params: z.object({}),
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async (_params, ctx) => {
    const findings = await ctx.chat.check();
    return {
      text: findings.length === 0 ? "No problems found in the stored sessions." : findings.join("\n"),
      data: { ok: findings.length === 0, findings },
      exit: findings.length === 0 ? 0 : 1,
    };
  },
});
