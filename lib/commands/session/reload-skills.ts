import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "reload-skills",
  aliases: ["reload_skills"],
  summary: "Read the skills again, and name those that were added, removed or changed.",
  topic: "skills",
  params: z.object({
    confirm: z.enum(["now"]).optional().describe("now: also list them again in the prompt of this conversation"),
  }),
  positionals: ["confirm"],
  surfaces: ["slash"],
  access: "admin",
  self: "settings",
  run: async ({ confirm }, ctx) => {
    const { added, removed, changed, count, problems } = await ctx.skills.catalog.reload({
      cwd: ctx.cwd,
      env: ctx.env,
    });
    const parts = [
      ...(added.length === 0 ? [] : [`added ${added.join(", ")}`]),
      ...(removed.length === 0 ? [] : [`removed ${removed.join(", ")}`]),
      ...(changed.length === 0 ? [] : [`changed ${changed.join(", ")}`]),
    ];
    const lines = [`Skills: ${parts.length === 0 ? "nothing changed" : parts.join("; ")} (${count} in all)`];
    const renews = confirm === "now" && ctx.session !== undefined;
    if (renews) await ctx.chat.renewPrompt(ctx.session);
    if (ctx.session !== undefined) lines.push(renews ? RENEWED : STAYS);
    return {
      text: lines.join("\n"),
      data: { ok: true, added, removed, changed, count, renews },
      warnings: problems.map(({ path, why }) => `${path}: ${why}`),
    };
  },
});

const RENEWED = "The next turn lists them in its prompt; the provider's cache of this conversation is lost.";
const STAYS =
  "The prompt of this conversation keeps its list, so that the provider's cache holds. /reload-skills now makes it again.";
