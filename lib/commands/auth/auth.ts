import * as z from "zod";
import { defineCommand } from "../define.js";
import { listCredentials } from "./login-list.js";

export default defineCommand({
  path: "auth",
  summary: "Show logins and keys; at a terminal, add, remove or renew them in a menu.",
  topic: "auth",
  params: z.object({ provider: z.string().optional().describe("show this provider only") }),
  positionals: ["provider"],
  surfaces: ["cli"],
  access: "write",
  self: "settings",
  outside: true,
  run: async ({ provider }, ctx) => {
    const asks = provider === undefined && ctx.tty === true && !ctx.json;
    return asks && (await ctx.setup.auth()) ? { text: "", data: {} } : listCredentials(ctx.auth, provider);
  },
});
