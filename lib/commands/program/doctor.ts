import * as z from "zod";
import { defineCommand } from "../define.js";
import { checksText } from "../render/checks.js";

export default defineCommand({
  path: "doctor",
  summary: "Check home, stores, settings and model, and suggest fixes.",
  topic: "start",
  params: z.object({
    deep: z.boolean().default(false).describe("also verify the checksums of every store"),
    fix: z.boolean().default(false).describe("repair problems without losing data"),
  }),
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  writesWith: "--fix",
  run: async ({ deep, fix }, ctx) => {
    const checks = await ctx.owner.doctor({ deep, fix });
    const ok = checks.every((check) => check.status !== "fail");
    return { text: checksText(checks), data: { ok, checks }, exit: ok ? 0 : 1 };
  },
});
