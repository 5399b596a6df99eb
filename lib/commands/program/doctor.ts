import * as z from "zod";
import { defineCommand } from "../define.js";
import { checksText } from "../render/checks.js";

export default defineCommand({
  path: "doctor",
  summary: "Check home, stores, settings and model, and say what to do.",
  topic: "start",
  params: z.object({
    deep: z.boolean().default(false).describe("also compare the digests of every store"),
    fix: z.boolean().default(false).describe("repair what loses nothing"),
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
