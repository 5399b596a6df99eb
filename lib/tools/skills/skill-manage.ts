import { join } from "node:path";
import * as z from "zod";
import { AppError, toAppError } from "../../base/errors.js";
import { SKILLS_WRITE_APPROVAL } from "../../contracts/skills/keys.js";
import type { SkillServices } from "../../contracts/skills/services.js";
import type { SkillEdit, SkillPlan, WriteFinding, WrittenBy } from "../../contracts/skills/writes.js";
import { guardWrite } from "../../safety/paths/paths.js";
import { headText } from "../../safety/redact/text.js";
import { defineTool, type ToolContext, type ToolResult } from "../core/define.js";
import { jsonResult } from "../run/execute.js";
import { scopeOf, toFailureResult, toRefusalResult } from "../run/scope.js";

const params = z.object({
  action: z.enum(["create", "patch", "edit", "delete", "write_file", "remove_file"]),
  name: z.string().max(200).describe("Lower-case name of the skill, which is that of its directory."),
  content: z.string().optional().describe("create, edit: the whole SKILL.md, with front matter (name, description)."),
  old_string: z.string().optional().describe("patch: the text to replace; it occurs once, or replace_all is true."),
  new_string: z.string().optional().describe("patch: the new text."),
  replace_all: z.boolean().optional(),
  category: z.string().max(300).optional().describe("create: directory of the skill below skills/, e.g. devops."),
  file_path: z
    .string()
    .max(300)
    .optional()
    .describe("write_file, remove_file, patch: a file below references/, templates/, scripts/ or assets/."),
  file_content: z.string().optional().describe("write_file: the whole text."),
  absorbed_into: z.string().max(200).optional().describe("delete: the skill that has taken over its content."),
});

type Params = z.output<typeof params>;

export default defineTool({
  name: "skill_manage",
  toolset: "skills",
  description:
    "Create and change skills of the user's home: procedures that later conversations read. Prefer patch to edit; " +
    "put details into supporting files. Every change is kept as a version that the user can undo.",
  params,
  risk: "write",
  effects: () => ({ reads: ["skills"], writes: ["skills"] }),
  limits: { ms: 60_000, chars: 50_000 },
  secrets: "refused",
  preview: ({ action, name, file_path }) => [action, name, file_path ?? ""].join(" ").trim().slice(0, 120),
  run,
});

async function run(given: Params, ctx: ToolContext): Promise<ToolResult> {
  const { skills } = ctx.ports;
  if (skills === undefined) return toFailureResult("there are no skills here", { success: false });
  try {
    return await change(toEdit(given), skills, ctx);
  } catch (error) {
    const { message, hint } = toAppError(error);
    return toFailureResult(message, { success: false, hint });
  }
}

async function change(edit: SkillEdit, skills: SkillServices, ctx: ToolContext): Promise<ToolResult> {
  const by: WrittenBy = { who: "agent", session: ctx.session };
  const writes = await skills.writes();
  const plan = await writes.plan(edit, by);
  const refused = guarded(plan, ctx);
  if (refused !== undefined) return { ...toFailureResult(refused, { success: false }), status: "blocked" };
  if (ctx.config.get(SKILLS_WRITE_APPROVAL)) {
    const { id } = await writes.stage(plan, by);
    const message = `not applied yet: the user reviews it with /skills diff ${id}, and runs /skills approve ${id} or /skills reject ${id}`;
    return { text: jsonResult({ success: true, staged: true, pending: id, message, ...shown(plan) }) };
  }
  if (plan.verdict === "dangerous") {
    const answer = await ctx.permit(dangerous(plan, ctx));
    if (!answer.allowed) return toRefusalResult(answer, { success: false, findings: told(plan.findings) });
  }
  const { version } = await writes.apply(plan, by);
  const files = filesOf(plan, ctx);
  return { text: jsonResult({ success: true, message: plan.summary, version, ...shown(plan) }), filesChanged: files };
}

/** Absolute paths of the files that change. */
const filesOf = ({ files, moves }: SkillPlan, { home }: ToolContext): readonly string[] =>
  [...files.map(({ path }) => path), ...moves.map(({ from }) => from)].map((path) => join(home.dir, "skills", path));

/** Guards of paths hold here as for every tool that writes: the home is closed to guests of a chat, and `AGENT_WRITE_SAFE_ROOT` counts. */
function guarded(plan: SkillPlan, ctx: ToolContext): string | undefined {
  const scope = scopeOf(ctx);
  for (const path of filesOf(plan, ctx)) {
    const answer = guardWrite(path, scope);
    if (!answer.ok) return answer.why;
  }
  return undefined;
}

/** A skill that the scan calls dangerous is asked about, with what was found. */
const dangerous = (plan: SkillPlan, { state: { cwd } }: ToolContext) => ({
  kind: "tool" as const,
  tool: "skill_manage",
  command: `skill_manage ${plan.summary}\n${headText(plan.diff, 8_000)}`,
  cwd,
  declared: {
    class: "tool-risk" as const,
    text: `the scan of skills calls it dangerous: ${plan.findings
      .slice(0, 5)
      .map(({ file, line, text }) => `${file}:${line} ${text}`)
      .join("; ")}`,
  },
});

const DIFF_CHARS = 12_000;

const shown = ({ diff, findings, verdict, strategy }: SkillPlan) => ({
  diff: headText(diff, DIFF_CHARS),
  ...(strategy === undefined ? {} : { strategy }),
  ...(verdict === undefined ? {} : { verdict }),
  ...(findings.length === 0 ? {} : { findings: told(findings) }),
});

const told = (findings: readonly WriteFinding[]) =>
  findings.slice(0, 20).map(({ file, line, rule, severity, text }) => `${file}:${line} ${severity} ${rule}: ${text}`);

/** The arguments of an action. @throws E_INVALID naming one that is missing */
function toEdit(given: Params): SkillEdit {
  const { action, name, category } = given;
  const at = { name, ...(category === undefined ? {} : { category }) };
  const need = (field: "content" | "old_string" | "new_string" | "file_path" | "file_content"): string => {
    const value = given[field];
    if (value === undefined)
      throw new AppError("E_INVALID", `${action} needs ${field}`, { hint: `call skill_manage again with ${field}` });
    return value;
  };
  switch (action) {
    case "create":
    case "edit":
      return { action, ...at, content: need("content") };
    case "patch": {
      const { file_path, replace_all } = given;
      return { action, ...at, file_path, replace_all, old_string: need("old_string"), new_string: need("new_string") };
    }
    case "write_file":
      return { action, ...at, file_path: need("file_path"), file_content: need("file_content") };
    case "remove_file":
      return { action, ...at, file_path: need("file_path") };
    case "delete":
      return { action, ...at, absorbed_into: given.absorbed_into };
  }
}
