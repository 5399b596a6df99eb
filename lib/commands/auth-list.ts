import * as z from "zod";
import { systemClock } from "../base/clock.js";
import { entryData, providerLines } from "./auth/show.js";
import { defineCommand } from "./define.js";

export default defineCommand({
  path: "auth list",
  aliases: ["auth"],
  summary: "Show logins and keys, how each stands, and which one is used.",
  topic: "auth",
  params: z.object({ provider: z.string().optional().describe("only this provider") }),
  positionals: ["provider"],
  surfaces: ["cli", "rpc"],
  access: "read",
  run: async ({ provider }, ctx) => {
    const { providers, problems } = await ctx.auth.list(provider);
    const now = systemClock.now();
    const none = provider === undefined ? "No logins and no keys." : `No login and no key for ${provider}.`;
    const lines = providers.flatMap((one) => (one.entries.length === 0 && one.error === null ? [] : providerLines(one, now)));
    return {
      text: lines.length === 0 ? `${none} agent auth add ${provider ?? "PROVIDER"} adds one.` : lines.join("\n"),
      data: { providers: providers.map((one) => ({ ...one, entries: one.entries.map(entryData) })), problems },
      warnings: problems,
    };
  },
});
