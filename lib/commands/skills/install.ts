import * as z from "zod";
import type { SkillPreview } from "../../contracts/skills/hub.js";
import { defineCommand } from "../define.js";
import { askYes } from "../plugins/plugin-rows.js";
import { previewText } from "./hub-text.js";

export default defineCommand({
  path: "skills install",
  summary: "Fetch a skill, show what it is and may use, and install it once you say yes.",
  topic: "skills",
  params: z.object({
    identifier: z
      .string()
      .min(1)
      .describe("official/NAME, owner/repo/path[@ref], https://host/skill.zip, INDEX#NAME, a git URL or a directory"),
    category: z.string().optional().describe("directory below skills/ that it goes to"),
    name: z.string().optional().describe("install it under this name"),
    sha256: z.string().optional().describe("refuse any other bytes than those with this hash"),
    force: z.boolean().default(false).describe("install despite findings that advise caution, or install it again"),
    yes: z.boolean().default(false).describe("install it without asking"),
  }),
  positionals: ["identifier"],
  short: { force: "f", yes: "y" },
  surfaces: ["cli", "slash"],
  access: "admin",
  self: "settings",
  stdin: true,
  run: async ({ identifier, category, name, sha256, force, yes }, ctx) => {
    const hub = await ctx.skills.hub();
    let shown: SkillPreview | undefined;
    const confirm = async (preview: SkillPreview) => {
      shown = preview;
      if (ctx.surface === "cli") await ctx.err(`${previewText(preview)}\n`);
      return yes || (await askYes(ctx, "Install it?"));
    };
    const local = ctx.origin === undefined;
    const options = { category, name, hash: sha256, force, cwd: ctx.cwd, local, confirm, signal: ctx.signal };
    const installed = await hub.install(identifier, options);
    if (installed !== undefined)
      return { text: `Installed ${installed.name} to skills/${installed.path}.`, data: installed };
    const again = `Nothing was installed; -y${shown === undefined ? "" : ` --sha256 ${shown.hash}`} installs exactly this.`;
    const text = ctx.surface === "cli" || shown === undefined ? again : `${previewText(shown)}\n${again}`;
    return { text, data: shown ?? null, exit: 1 };
  },
});
