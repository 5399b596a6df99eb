import * as z from "zod";
import { systemClock } from "../../base/time/clock.js";
import { defineCommand } from "../define.js";
import { entryData, entryLine } from "./text.js";

export default defineCommand({
  path: "auth remove",
  summary: "Remove a login or a key; one from a variable is not picked up again.",
  topic: "auth",
  params: z.object({
    provider: z.string().describe("its provider"),
    which: z.string().describe("place, id or label"),
    yes: z.boolean().default(false).describe("also delete the line of .env that it comes from"),
  }),
  positionals: ["provider", "which"],
  short: { yes: "y" },
  surfaces: ["cli", "rpc"],
  access: "write",
  self: "settings",
  run: async ({ provider, which, yes }, ctx) => {
    const { entry, variable } = await ctx.auth.remove(provider, which, yes);
    const set = `${variable} is still set and no longer used; agent auth add ${provider} takes it up again, -y deletes its line in .env.`;
    const lines = [
      `Removed from ${provider}: ${entryLine(entry, systemClock.now())}`,
      ...(variable === null ? [] : [set]),
    ];
    return { text: lines.join("\n"), data: { provider, removed: entryData(entry), variable } };
  },
});
