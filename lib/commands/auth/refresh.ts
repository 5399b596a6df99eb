import * as z from "zod";
import { systemClock } from "../../base/time/clock.js";
import { defineCommand } from "../define.js";
import { plain } from "../render/plain.js";
import { entryData, entryLine } from "./text.js";

export default defineCommand({
  path: "auth refresh",
  summary: "Renew the login to a provider now.",
  topic: "auth",
  params: z.object({
    provider: z.string().describe("provider"),
    all: z.boolean().default(false).describe("renew every login to the provider, not only the one in use"),
  }),
  positionals: ["provider"],
  surfaces: ["cli", "rpc"],
  access: "write",
  self: "settings",
  run: async ({ provider, all }, ctx) => {
    const done = await ctx.auth.refresh(provider, all);
    const now = systemClock.now();
    const lines = done.map(({ entry, problem }) =>
      problem === undefined
        ? `Renewed: ${entryLine(entry, now)}`
        : `Not renewed: ${entryLine(entry, now)}: ${plain(problem)}`,
    );
    const failed = done.some(({ problem }) => problem !== undefined);
    const rows = done.map(({ entry, problem }) => ({ ...entryData(entry), problem: problem ?? null }));
    return { text: lines.join("\n"), data: { provider, entries: rows }, exit: failed ? 1 : 0 };
  },
});
