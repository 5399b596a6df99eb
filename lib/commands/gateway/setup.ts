import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "gateway setup",
  summary: "Set up a messaging platform: prompt for its settings, test them and store them in .env.",
  topic: "gateway",
  params: z.object({
    tag: z.string().optional().describe("platform tag, e.g. msgt (default: prompt)"),
    client_secret: z.string().min(1).optional().describe("OAuth client file to install, for msgg"),
  }),
  positionals: ["tag"],
  surfaces: ["cli"],
  access: "admin",
  self: "settings",
  outside: true,
  run: async ({ tag, client_secret }, ctx) => {
    const { outcome, lines } = await ctx.gateways.setup({ tag, clientSecret: client_secret });
    return { text: lines.join("\n"), data: { ok: outcome === "ok", lines }, exit: outcome === "ok" ? 0 : 2 };
  },
});
