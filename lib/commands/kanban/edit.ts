import * as z from "zod";
import { AppError } from "../../base/errors.js";
import type { EditParams } from "../../contracts/board/records.js";
import { type CommandContext, defineCommand } from "../define.js";
import { actorFor, boardFor, objectFrom, optionalDuration, taskIdParam, textFrom } from "../params/board-target.js";
import { checkBranchName, parseWorkspace } from "./params/workspace-flag.js";

const yes = (what: string) => z.boolean().default(false).describe(what);
const params = z.object({
  id: taskIdParam,
  title: z.string().optional().describe("title"),
  body: z.string().optional().describe("description in Markdown; - reads standard input; empty clears it"),
  body_file: z.string().optional().describe("file with the description; - reads standard input"),
  priority: z.number().int().optional().describe("priority, highest first"),
  assignee: z.string().optional().describe("profile, external name, or none"),
  tenant: z.string().optional().describe("namespace; empty clears it"),
  skill: z.array(z.string()).optional().describe("replace the skills; repeatable; empty clears them"),
  add_skill: z.array(z.string()).optional().describe("add a skill; repeatable"),
  remove_skill: z.array(z.string()).optional().describe("remove a skill; repeatable"),
  max_runtime: z
    .string()
    .optional()
    .describe("maximum duration: seconds or a duration (90, 15m, 1.5h); empty clears it"),
  max_retries: z.string().optional().describe("failures before the task is blocked; empty uses the settings"),
  workspace: z
    .string()
    .optional()
    .describe("scratch, dir[:<path>], worktree[:<repository>]; before the first run only"),
  branch: z.string().optional().describe("branch of a worktree; empty clears it; before the first run only"),
  model: z.string().optional().describe("model of the worker; empty clears it"),
  goal: yes("run turns until a judge finds the goal met"),
  no_goal: yes("run as an ordinary task"),
  goal_max_turns: z.string().optional().describe("maximum turns of a goal task; empty clears it"),
  auto: yes("allow automatic decomposition"),
  no_auto: yes("exclude it from automatic decomposition"),
  external: yes("worked externally; never started here"),
  no_external: yes("started by the dispatcher"),
  hold: yes("do not promote a todo task automatically"),
  no_hold: yes("promote it automatically"),
  result: z.string().optional().describe("result of a done task; empty clears it"),
  summary: z.string().optional().describe("summary of the last completed run; empty clears it"),
  metadata: z.string().optional().describe("JSON object of the last completed run; empty clears it"),
  outcome: z.enum(["accepted", "rejected"]).optional().describe("verdict on a done task, applied to its children"),
  force: yes("with --outcome rejected: stop the workers of running children"),
});

export default defineCommand({
  path: "kanban edit",
  summary: "Edit the fields of a task.",
  topic: "kanban",
  params,
  positionals: ["id"],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  repeats: true,
  where: "root",
  stdin: true,
  run: async (given, ctx) => {
    const fields = await fieldsOf(given, ctx);
    if (Object.values(fields).every((value) => value === undefined))
      throw new AppError("E_USAGE", "nothing to change: pass at least one field");
    const { board, warnings } = await boardFor(ctx, "write");
    const id = await ctx.board.find(board, given.id);
    const edited = await ctx.board.edit(
      board,
      id,
      { ...fields, force: given.force, cwd: ctx.cwd },
      await actorFor(ctx),
    );
    const { task, demoted } = edited;
    const running =
      task.status === "running" ? ["the running worker sees the change when it shows the task again"] : [];
    const said = [...edited.warnings, ...running];
    const lines = [
      `Edited ${id}: ${edited.fields.length === 0 ? "unchanged" : edited.fields.join(", ")}`,
      ...(demoted.length > 0 ? [`  waiting again: ${demoted.join(", ")}`] : []),
    ];
    const data = { ok: true, task, fields: edited.fields, demoted, warnings: said };
    return { text: lines.join("\n"), data, warnings: [...warnings, ...(ctx.json ? [] : said)] };
  },
});

type Given = z.output<typeof params>;

async function fieldsOf(given: Given, ctx: CommandContext): Promise<EditParams> {
  const { title, priority, assignee, tenant, result, summary } = given;
  if (given.branch !== undefined && given.branch !== "") checkBranchName(given.branch);
  return {
    title,
    priority,
    assignee,
    tenant,
    result,
    summary,
    skills: given.skill,
    add_skills: given.add_skill,
    remove_skills: given.remove_skill,
    max_runtime_seconds: given.max_runtime === "" ? null : optionalDuration(given.max_runtime),
    max_retries: countFrom("max-retries", given.max_retries),
    goal_max_turns: countFrom("goal-max-turns", given.goal_max_turns),
    ...parseWorkspace(given.workspace),
    branch_name: given.branch,
    model_override: given.model,
    goal_mode: either("goal", given.goal, given.no_goal),
    auto_decompose: either("auto", given.auto, given.no_auto),
    external: either("external", given.external, given.no_external),
    hold: either("hold", given.hold, given.no_hold),
    metadata: given.metadata === "" ? null : objectFrom("metadata", given.metadata),
    verdict: given.outcome,
    body: await textFrom(ctx, { text: given.body, file: given.body_file }),
  };
}

/** Both ways of one flag. @throws E_USAGE when both are given */
function either(name: string, on: boolean, off: boolean): boolean | undefined {
  if (on && off) throw new AppError("E_USAGE", `--${name} and --no-${name} exclude each other`);
  return on ? true : off ? false : undefined;
}

/** A whole number of at least 1; null for an empty value. @throws E_USAGE */
function countFrom(flag: string, given: string | undefined): number | null | undefined {
  if (given === undefined) return undefined;
  if (given === "") return null;
  if (!/^[1-9]\d{0,8}$/.test(given))
    throw new AppError("E_USAGE", `--${flag} must be a whole number of at least 1, not '${given}'`);
  return Number(given);
}
