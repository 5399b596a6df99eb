import * as z from "zod";
import { findUnknownBindings } from "../../contracts/skills/bound-skills.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "config check",
  summary: "Report unknown settings and wrong values.",
  topic: "config",
  params: z.object({}),
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async (_params, ctx) => {
    const place = { cwd: ctx.cwd, env: ctx.env };
    const bound = await findUnknownBindings(ctx.config, ctx.skills.catalog, place);
    const findings = [...(await ctx.settings.check()), ...bound];
    const text =
      findings.length === 0
        ? `${ctx.settings.path}: no problems found`
        : findings.map((finding) => finding.message).join("\n");
    return { text, data: { ok: findings.length === 0, findings }, exit: findings.length === 0 ? 0 : 1 };
  },
});
