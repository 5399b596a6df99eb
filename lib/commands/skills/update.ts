import * as z from "zod";
import type { SkillUpdate, UpdatedSkill } from "../../contracts/skills/hub.js";
import { defineCommand } from "../define.js";
import { askYes } from "../plugins/plugin-rows.js";
import { previewText, updateLines } from "./hub-text.js";

export default defineCommand({
  path: "skills update",
  summary: "Bring installed skills to what their sources have; files that you changed stay.",
  topic: "skills",
  params: z.object({
    name: z.string().optional().describe("only this skill"),
    dry_run: z.boolean().default(false).describe("only show what would change"),
    force: z.boolean().default(false).describe("update despite findings that advise caution"),
    yes: z.boolean().default(false).describe("do not ask when a verdict or what a skill uses changes"),
  }),
  positionals: ["name"],
  short: { force: "f", yes: "y" },
  surfaces: ["cli"],
  access: "admin",
  self: "settings",
  stdin: true,
  run: async ({ name, dry_run, force, yes }, ctx) => {
    const confirm = async (update: SkillUpdate) => {
      await ctx.err(`${update.name}: ${update.from} -> ${update.to}\n${updateLines(update.files).join("\n")}\n`);
      if (dry_run) return false;
      if (yes || !update.asks) return true;
      await ctx.err(`${previewText(update.preview)}\n`);
      return await askYes(ctx, "Its verdict or what it uses has changed. Update it?");
    };
    const done = await (await ctx.skills.hub()).update(name, { force, confirm, signal: ctx.signal });
    return {
      text: done.length === 0 ? "No skill was installed." : done.map(resultLine).join("\n"),
      data: done,
      exit: dry_run ? 0 : exitOf(done),
    };
  },
});

const RESULTS: Readonly<Record<UpdatedSkill["result"], string>> = {
  updated: "updated",
  current: "up to date",
  declined: "not updated",
  blocked: "blocked",
  failed: "failed",
};

const resultLine = ({ name, result, conflicts, error }: UpdatedSkill): string =>
  `${name}: ${RESULTS[result]}${error === null ? "" : `: ${error}`}${conflicts.length === 0 ? "" : `; conflicts: ${conflicts.map((path) => `${path} (${path}.new)`).join(", ")}`}`;

/** 1: something failed or was not done; 3: conflicts are left. */
function exitOf(done: readonly UpdatedSkill[]): number {
  if (done.some(({ result }) => result === "failed" || result === "blocked" || result === "declined")) return 1;
  return done.some(({ conflicts }) => conflicts.length > 0) ? 3 : 0;
}
