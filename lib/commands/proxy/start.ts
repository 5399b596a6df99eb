import * as z from "zod";
import { defineCommand } from "../define.js";
import { holdListener } from "../params/hold-listener.js";
import { startText } from "./text.js";

export default defineCommand({
  path: "proxy start",
  summary: "Serve a subscription to local programs on a local address; Ctrl+C stops it.",
  topic: "proxy",
  params: z.object({
    provider: z.string().min(1).optional().describe("provider (default proxy.provider)"),
    host: z
      .string()
      .min(1)
      .optional()
      .describe("address to listen on (default proxy.host); a token is required outside loopback"),
    port: z
      .number()
      .int()
      .min(0)
      .max(65_535)
      .optional()
      .describe("port to listen on (default proxy.port, 0 = any free port)"),
  }),
  surfaces: ["cli"],
  access: "admin",
  follow: true,
  listens: true,
  run: async (params, ctx) => {
    const held = await ctx.proxy.start({ ...params, token: ctx.env["AGENT_PROXY_TOKEN"] });
    return holdListener(held, startText(held), ctx);
  },
});
