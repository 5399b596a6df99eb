import * as z from "zod";
import { defineCommand } from "../define.js";
import { renderProxyStatus } from "./text.js";

export default defineCommand({
  path: "proxy status",
  summary: "Show the listeners of the local proxy and the state of their logins.",
  topic: "proxy",
  params: z.object({
    check: z.boolean().default(false).describe("check each login's credential, refreshing it if due"),
  }),
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  writesWith: "--check",
  run: async ({ check }, ctx) => {
    const status = await ctx.proxy.status(check);
    const failed = check && status.adapters.some(({ authenticated, error }) => !authenticated || error !== null);
    return { text: renderProxyStatus(status), data: status, exit: failed ? 1 : 0 };
  },
});
