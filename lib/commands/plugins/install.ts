import * as z from "zod";
import { AppError } from "../../base/errors.js";
import type { PluginPreview } from "../../contracts/plugins/plugins.js";
import { defineCommand } from "../define.js";
import { askYes, pluginDetails } from "./plugin-rows.js";

export default defineCommand({
  path: "plugins install",
  summary: "Install a plugin from GitHub, a git repository or a directory.",
  topic: "plugins",
  params: z.object({
    source: z
      .string()
      .min(1)
      .describe("owner/repo[/dir][#ref], a git URL (https://host/repo.git[/dir][#ref]) or a directory"),
    force: z.boolean().default(false).describe("replace an installed plugin of the same name"),
    enable: z.boolean().default(false).describe("enable it without asking"),
    no_enable: z.boolean().default(false).describe("leave it disabled without asking"),
    yes: z
      .boolean()
      .default(false)
      .describe("install it, and its npm dependencies, without asking; one that was enabled stays enabled"),
  }),
  positionals: ["source"],
  short: { force: "f", yes: "y" },
  surfaces: ["cli"],
  access: "admin",
  self: "settings",
  stdin: true,
  run: async ({ source, force, enable, no_enable, yes }, ctx) => {
    if (enable && no_enable) throw new AppError("E_USAGE", "--enable and --no-enable exclude each other");
    const decide = async (preview: PluginPreview) => {
      await ctx.err(`${describe(preview).join("\n")}\n`);
      const asks = ctx.tty === true && !ctx.json;
      if (!yes && asks && !(await askYes(ctx, "Install it?"))) return undefined;
      const npm =
        preview.dependencies.length > 0 &&
        (yes || (await askYes(ctx, "Install its npm dependencies (without scripts)?")));
      // A user who has enabled it and says yes to its new files wants it to go on.
      const goesOn = yes && preview.enabled;
      return { npm, enable: enable || (!no_enable && (goesOn || (await askYes(ctx, "Enable it?")))) };
    };
    const row = await ctx.plugins.install(source, { force, cwd: ctx.cwd, decide });
    if (row === undefined) return { text: "Nothing was installed.", data: null, exit: 1 };
    return { text: installedText(row.key, row.state), data: row, warnings: row.error === null ? [] : [row.error] };
  },
});

const describe = ({ row, dependencies, warnings }: PluginPreview): readonly string[] => [
  ...warnings.map((text) => `warning: ${text}`),
  ...pluginDetails(row),
  ...(dependencies.length === 0 ? [] : [`  npm dependencies: ${dependencies.join(", ")}`]),
];

const installedText = (key: string, state: string): string =>
  state === "disabled"
    ? `Installed ${key}; agent plugins enable ${key} switches it on.`
    : `Installed and enabled ${key}.`;
