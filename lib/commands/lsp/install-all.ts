import * as z from "zod";
import type { InstallOutcome } from "../../contracts/owner/language-servers.js";
import { defineCommand } from "../define.js";
import { callerOf, outcomes } from "./text.js";

export default defineCommand({
  path: "lsp install-all",
  summary: "Install all missing language servers.",
  topic: "lsp",
  params: z.object({
    include_manual: z.boolean().default(false).describe("include those that must be installed by hand"),
  }),
  surfaces: ["cli", "rpc"],
  access: "admin",
  run: async ({ include_manual }, ctx) => {
    const caller = callerOf(ctx);
    const { servers } = await ctx.languageServers.status(caller);
    const installed: InstallOutcome[] = [];
    for (const { id } of servers.filter(({ state, disabled }) => state === "missing" && !disabled)) {
      await ctx.err(`installing ${id}\n`);
      installed.push(await ctx.languageServers.install(id, caller));
    }
    const byHand = include_manual ? servers.filter(({ state, disabled }) => state === "manual-only" && !disabled) : [];
    const { text = "", exit = 0 } = outcomes(installed);
    const hints = byHand.map(({ id, install }) => `${id}: by hand: ${install}`);
    return {
      text: [text, ...hints].join("\n"),
      data: { installed, manual: byHand.map(({ id, install }) => ({ id, install })) },
      exit,
    };
  },
});
