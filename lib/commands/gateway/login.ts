import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "gateway login",
  summary: "Log in to a messaging platform with a code that a phone scans, and store the login in .env.",
  topic: "gateway",
  params: z.object({
    tag: z.string().describe("platform that has such a login: msgx"),
    account: z.string().min(1).optional().describe("id of the account that is expected; another one is not stored"),
    verify_code: z
      .string()
      .regex(/^\d+$/)
      .optional()
      .describe("digits that the phone shows, where no one can be asked"),
  }),
  positionals: ["tag"],
  surfaces: ["cli"],
  access: "admin",
  self: "settings",
  outside: true,
  run: async ({ tag, account, verify_code }, ctx) => {
    const lines = await ctx.gateways.login({ tag, account, verifyCode: verify_code });
    return { text: lines.join("\n"), data: { ok: true, done: lines } };
  },
});
