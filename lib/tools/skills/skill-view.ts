import { join } from "node:path";
import * as z from "zod";
import { toAppError } from "../../base/errors.js";
import type { SkillServices } from "../../contracts/skills/services.js";
import type { Skill } from "../../contracts/skills/skill.js";
import { defineTool, type Permission, type ToolContext, type ToolResult } from "../core/define.js";
import { askForVariables, type VariablesGiven } from "../core/skill-variables.js";
import { jsonResult } from "../run/execute.js";
import { toolPermission } from "../run/permission.js";
import { toFailureResult, toRefusalResult } from "../run/scope.js";
import { isOfOthers, skillPlaceOf } from "./place.js";
import { skillShell } from "./shell.js";

const params = z.object({
  name: z.string().min(1).max(200).describe("Name of the skill, as listed."),
  file_path: z.string().max(1_000).optional().describe("A supporting file, relative to the skill: references/form.md"),
});

type Params = z.output<typeof params>;

export default defineTool({
  name: "skill_view",
  toolset: "skills",
  description:
    "Read a skill: its instructions, what it needs, and the names of its supporting files. With file_path: read one of those files.",
  params,
  risk: "read",
  asks: true,
  effects: () => ({ reads: ["skills"], writes: [] }),
  limits: { ms: 0, chars: 120_000 },
  preview: ({ name, file_path }) => (file_path === undefined ? name : `${name} ${file_path}`).slice(0, 120),
  run,
});

async function run({ name, file_path }: Params, ctx: ToolContext): Promise<ToolResult> {
  const { skills } = ctx.ports;
  if (skills === undefined) return toFailureResult("there are no skills here", { success: false });
  try {
    const place = skillPlaceOf(ctx);
    const skill = await skills.catalog.find(name, place);
    const answer = await ctx.permit(permissionFor(skill, file_path, ctx));
    if (!answer.allowed) return toRefusalResult(answer, { success: false });
    const reading = { place, session: ctx.session, shell: skillShell(ctx) };
    const view = await (await skills.texts()).view(skill.name, file_path === "" ? undefined : file_path, reading);
    if (isOfOthers(view)) ctx.readUntrusted?.();
    await counted(skills, view.name, ctx);
    const variables = file_path === undefined ? await askForVariables(skill, ctx) : NONE;
    return { text: jsonResult({ ...view, ...told(variables) }) };
  } catch (error) {
    const { message, hint } = toAppError(error);
    return toFailureResult(message, { success: false, hint });
  }
}

const NONE: VariablesGiven = { given: [], withheld: [] };

const told = ({ given, withheld, why }: VariablesGiven): Readonly<Record<string, unknown>> => ({
  ...(given.length === 0 ? {} : { variables_of_commands: given }),
  ...(withheld.length === 0 ? {} : { variables_withheld: withheld, variables_note: why }),
});

/** Rules may name the skill, the tool, or the file that is read. */
function permissionFor(skill: Skill, inner: string | undefined, ctx: ToolContext): Permission {
  const path = inner === undefined ? skill.file : join(skill.dir, inner);
  const shown = { tool: "skill_view", preview: inner === undefined ? skill.name : `${skill.name} ${inner}` };
  return { ...toolPermission(shown, [path], ctx), skill: skill.name };
}

async function counted(skills: SkillServices, name: string, ctx: ToolContext): Promise<void> {
  try {
    await (await skills.usage()).count(name, "views");
  } catch (error) {
    ctx.log.warning("the view of a skill was not counted", { skill: name, error: String(error) }); // ok to lose: the skill was read
  }
}
