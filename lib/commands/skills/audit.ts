import * as z from "zod";
import { defineCommand } from "../define.js";
import { auditLines } from "./hub-text.js";

export default defineCommand({
  path: "skills audit",
  summary: "Scan installed skills again, and report files that were changed since.",
  topic: "skills",
  params: z.object({
    name: z.string().optional().describe("only this skill"),
    deep: z.boolean().default(false).describe("also skills of the home that no source gave"),
    log: z.boolean().default(false).describe("the newest 100 lines of the audit log instead"),
  }),
  positionals: ["name"],
  surfaces: ["cli", "slash"],
  access: "read",
  run: async ({ name, deep, log }, ctx) => {
    const hub = await ctx.skills.hub();
    if (log) {
      const lines = await hub.log(100);
      return { text: lines.map((one) => JSON.stringify(one)).join("\n"), data: lines };
    }
    const audits = await hub.audit(name, deep);
    return {
      text: audits.length === 0 ? "No skill to audit." : audits.map(auditLines).join("\n"),
      data: audits,
      exit: audits.some(({ verdict, state }) => verdict === "dangerous" || state !== "unchanged") ? 1 : 0,
    };
  },
});
