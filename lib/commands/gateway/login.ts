import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "gateway login",
  summary: "Log in to a messaging platform by scanning a QR code, and store the login in .env.",
  topic: "gateway",
  params: z.object({
    tag: z.string().describe("platform with such a login: msgx"),
    account: z.string().min(1).optional().describe("expected account id; any other is rejected"),
    verify_code: z
      .string()
      .regex(/^\d+$/)
      .optional()
      .describe("digits shown by the phone, when prompting is not possible"),
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
