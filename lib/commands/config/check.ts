import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "config check",
  summary: "Name unknown and mistyped settings.",
  topic: "config",
  params: z.object({}),
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async (_params, ctx) => {
    const findings = await ctx.settings.check();
    const text =
      findings.length === 0
        ? `${ctx.settings.path}: no findings`
        : findings.map((finding) => finding.message).join("\n");
    return { text, data: { ok: findings.length === 0, findings }, exit: findings.length === 0 ? 0 : 1 };
  },
});
