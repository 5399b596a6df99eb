import * as z from "zod";
import type { Skill } from "../../contracts/skills/skill.js";
import { flagLines } from "../../safety/redact/injection.js";
import { defineTool, type ToolContext, type ToolResult } from "../core/define.js";
import { jsonResult } from "../run/execute.js";
import { toFailureResult } from "../run/scope.js";
import { isOfOthers, skillPlaceOf } from "./place.js";

const params = z.object({
  category: z.string().max(200).optional().describe("Only skills of this category."),
});

export default defineTool({
  name: "skills_list",
  toolset: "skills",
  description: "List the skills there are, with name, description and category; the list is read again.",
  params,
  risk: "read",
  core: false,
  effects: () => ({ reads: ["skills"], writes: [] }),
  limits: { ms: 30_000, chars: 100_000 },
  preview: ({ category }) => category ?? "all",
  run: async ({ category }, ctx) => await run(category, ctx),
});

async function run(category: string | undefined, ctx: ToolContext): Promise<ToolResult> {
  const { skills: services } = ctx.ports;
  if (services === undefined) return toFailureResult("there are no skills here", { success: false });
  const { skills, ambiguous, problems } = await services.catalog.catalog(skillPlaceOf(ctx));
  const listed = skills.filter(({ userOnly }) => !userOnly);
  const categories = [...new Set(listed.map((skill) => skill.category))]
    .filter((name) => name !== "")
    .toSorted((a, b) => (a < b ? -1 : 1));
  const chosen = listed.filter((skill) => category === undefined || skill.category === category);
  if (chosen.length === 0 && category !== undefined && categories.length > 0)
    return toFailureResult(`no skills in category ${category}`, { success: false, categories });
  if (chosen.some(isOfOthers)) ctx.readUntrusted?.();
  const text = jsonResult({
    success: true,
    skills: chosen.map(rowOf),
    categories,
    count: chosen.length,
    hint: "read one with skill_view(name)",
    ...(ambiguous.size === 0 ? {} : { ambiguous: Object.fromEntries(ambiguous) }),
    ...(problems.length === 0 ? {} : { unusable: problems.slice(0, PROBLEMS_MAX) }),
  });
  return { text };
}

const PROBLEMS_MAX = 20;

function rowOf(skill: Skill) {
  const { name, description, category, origin } = skill;
  return {
    name,
    description: isOfOthers(skill) ? flagLines(description).text : description,
    category,
    ...(isOfOthers(skill) ? { origin } : {}),
  };
}
