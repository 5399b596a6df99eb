import * as z from "zod";
import type { PluginUpdate } from "../../contracts/plugins/plugins.js";
import { defineCommand } from "../define.js";
import { askYes } from "./plugin-rows.js";

export default defineCommand({
  path: "plugins update",
  summary: "Move a plugin that was installed from git to the newest commit of its ref.",
  topic: "plugins",
  params: z.object({
    name: z.string().min(1).describe("key or name of the plugin"),
    check: z.boolean().default(false).describe("only show what would change"),
    yes: z.boolean().default(false).describe("change code of an enabled plugin without asking"),
  }),
  positionals: ["name"],
  short: { yes: "y" },
  surfaces: ["cli"],
  access: "admin",
  self: "settings",
  stdin: true,
  run: async ({ name, check, yes }, ctx) => {
    let done = false;
    const confirm = async (update: PluginUpdate) => {
      await ctx.err(`${filesOf(update).join("\n")}\n`);
      done = !check && (yes || !update.asks || (await askYes(ctx, "Its code runs in this program. Update it?")));
      return done;
    };
    const update = await ctx.plugins.update(name, confirm);
    const data = { ...update, updated: done };
    if (update.from === update.to)
      return { text: `${update.key} is at the newest commit (${update.to.slice(0, 12)}).`, data };
    const way = `${update.from.slice(0, 12)} -> ${update.to.slice(0, 12)}`;
    if (done) return { text: `Updated ${update.key}: ${way}.`, data };
    const hint = check ? "" : " It is enabled: -y updates it.";
    return { text: `${update.key}: ${way} is available.${hint}`, data, exit: check ? 0 : 1 };
  },
});

const filesOf = ({ files }: PluginUpdate): readonly string[] =>
  files.length === 0 ? ["no file changes"] : files.map(({ status, path }) => `${status} ${path}`);
