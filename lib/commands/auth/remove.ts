import * as z from "zod";
import { systemClock } from "../../base/time/clock.js";
import { defineCommand } from "../define.js";
import { entryData, entryLine } from "./text.js";

export default defineCommand({
  path: "auth remove",
  summary: "Remove a login or key. One read from a variable stays ignored.",
  topic: "auth",
  params: z.object({
    provider: z.string().describe("provider of the credential"),
    which: z.string().describe("position, id or label"),
    yes: z.boolean().default(false).describe("also delete its line in .env"),
  }),
  positionals: ["provider", "which"],
  short: { yes: "y" },
  surfaces: ["cli", "rpc"],
  access: "write",
  self: "settings",
  run: async ({ provider, which, yes }, ctx) => {
    const { entry, variable } = await ctx.auth.remove(provider, which, yes);
    const set = `${variable} is still set but ignored; agent auth add ${provider} uses it again, -y deletes its line in .env.`;
    const lines = [
      `Removed from ${provider}: ${entryLine(entry, systemClock.now())}`,
      ...(variable === null ? [] : [set]),
    ];
    return { text: lines.join("\n"), data: { provider, removed: entryData(entry), variable } };
  },
});
