import * as z from "zod";
import { type CommandContext, type CommandResult, defineCommand } from "../define.js";
import { consentAsker, pluginTable } from "./plugin-rows.js";

export default defineCommand({
  path: "plugins",
  summary: "Switch plugins on and off at a terminal; elsewhere list them.",
  topic: "plugins",
  params: z.object({}),
  surfaces: ["cli", "slash"],
  access: "write",
  self: "settings",
  stdin: true,
  run: async (_params, ctx) => {
    const rows = await ctx.plugins.list();
    if (rows.length === 0) return { text: "No plugins. agent help plugins explains how to install one.", data: rows };
    if (ctx.surface !== "cli" || ctx.tty !== true || ctx.json) return { text: pluginTable(rows), data: rows };
    return await toggle(ctx);
  },
});

const NUMBERS_BYTES = 1_000;

/** Numbers of plugins switch them; an empty line ends. */
async function toggle(ctx: CommandContext): Promise<CommandResult> {
  for (;;) {
    const rows = await ctx.plugins.list();
    const lines = pluginTable(rows).split("\n");
    await ctx.out(`${lines.map((line, at) => `${String(at + 1).padStart(3)}  ${line}`).join("\n")}\n`);
    const typed = (await ctx.stdin(NUMBERS_BYTES, "Number to switch, Enter to finish: ")).trim();
    if (typed === "") return { data: rows, streamed: true };
    const row = rows[Number(typed) - 1];
    if (row === undefined) {
      await ctx.err(`${typed} is not in the list\n`);
      continue;
    }
    const on = row.state !== "disabled" && row.state !== "not enabled" && row.state !== "needs consent";
    if (on) await ctx.plugins.disable(row.key);
    else await ctx.plugins.enable(row.key, consentAsker(ctx, false));
  }
}
