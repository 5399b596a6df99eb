import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "gateway setup",
  summary: "Ask for the settings of a messaging platform, try them out and store them in .env.",
  topic: "gateway",
  params: z.object({
    tag: z.string().optional().describe("platform, as msgt; default: it is asked for"),
    client_secret: z.string().min(1).optional().describe("file of an OAuth client for msgg, which is installed"),
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
