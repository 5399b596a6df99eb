import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "sessions check",
  summary: "Look whether the stored sessions are whole.",
  topic: "sessions",
  params: z.object({}),
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async (_params, ctx) => {
    const findings = await ctx.chat.check();
    return {
      text: findings.length === 0 ? "The stored sessions are whole." : findings.join("\n"),
      data: { ok: findings.length === 0, findings },
      exit: findings.length === 0 ? 0 : 1,
    };
  },
});
