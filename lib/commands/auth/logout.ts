import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "auth logout",
  aliases: ["logout"],
  summary: "Log out of a provider and revoke its logins. Keys are kept.",
  topic: "auth",
  params: z.object({ provider: z.string().describe("provider") }),
  positionals: ["provider"],
  surfaces: ["cli", "rpc"],
  access: "write",
  self: "settings",
  run: async ({ provider }, ctx) => {
    const { removed, revoked } = await ctx.auth.logout(provider);
    const none = `Not logged in to ${provider}.`;
    const kept =
      removed - revoked === 0 ? [] : [`${provider} could not be reached; the login expires there by itself.`];
    return {
      text:
        removed === 0 ? none : `Logged out of ${provider}: ${removed} ${removed === 1 ? "login" : "logins"} removed.`,
      data: { provider, removed, revoked },
      warnings: kept,
    };
  },
});
