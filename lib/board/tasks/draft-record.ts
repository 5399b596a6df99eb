import type { TaskPatch } from "../../../storage/tables/board/rows.js";
import { AppError } from "../../base/errors.js";
import type { BoardSlug } from "../../base/units.js";
import type { Task, Verdict } from "../../contracts/board/board.js";
import type { EditParams } from "../../contracts/board/records.js";
import type { Core } from "../core/core.js";
import { checkTexts, checkTitle } from "../core/texts.js";
import { findRepository } from "../workspaces/repository.js";
import {
  assigneeWarnings,
  atLeastOne,
  checkSkills,
  needsDefault,
  parseAssignee,
  skillWarnings,
  workspaceColumns,
} from "./draft.js";

/** Wanted fields of a task, checked on their own; what the task's status allows is looked at in the transaction. Undefined: not given. */
export interface EditDraft {
  readonly columns: TaskPatch;
  readonly body: string | null | undefined;
  readonly skills: SkillsEdit | undefined;
  readonly assignee: string | null | undefined;
  readonly place: TaskPatch | undefined;
  readonly result: string | null | undefined;
  readonly summary: string | null | undefined;
  readonly metadata: string | null | undefined;
  readonly verdict: Verdict | undefined;
  /** Why it is blocked or scheduled. */
  readonly block_reason?: string | null | undefined;
  readonly warnings: readonly string[];
}

interface SkillsEdit {
  readonly all: readonly string[] | undefined;
  readonly add: readonly string[];
  readonly remove: ReadonlySet<string>;
}

/** Check what was given (board part, 4.3). @param current The task as it is, for what depends on it. @throws E_INVALID, E_TOO_LARGE, E_WORKSPACE */
export async function editDraft(
  core: Core,
  board: BoardSlug,
  current: Task,
  given: { readonly params: EditParams; readonly cwd: string | undefined },
): Promise<EditDraft> {
  const { params } = given;
  const assignee = params.assignee == null ? params.assignee : parseAssignee(params.assignee);
  const metadata = params.metadata == null ? params.metadata : JSON.stringify(params.metadata);
  const { summary, result } = params;
  const body = cleared(params.body);
  const skills = skillsOf(core, params);
  checkTexts({ body, summary, result, metadata });
  return {
    columns: columnsOf(params),
    body,
    skills,
    assignee,
    place: await placeOf(core, board, current, given),
    result: cleared(result),
    summary: cleared(summary),
    metadata,
    verdict: params.verdict,
    warnings: [
      ...(await assigneeWarnings(core, assignee ?? null))(params.external ?? current.external),
      ...(skills === undefined
        ? []
        : await skillWarnings(
            core,
            assignee === undefined ? current.assignee : assignee,
            changedSkills(current.skills, skills),
          )),
    ],
  };
}

const cleared = (text: string | null | undefined): string | null | undefined => (text === "" ? null : text);
const trimmed = (text: string | null | undefined): string | null | undefined =>
  text == null ? text : text.trim() || null;
const bit = (value: boolean | undefined): 0 | 1 | undefined => (value === undefined ? undefined : value ? 1 : 0);
const count = (name: string, value: number | null | undefined): number | null | undefined =>
  value == null ? value : atLeastOne(name, value);

function columnsOf(params: EditParams): TaskPatch {
  if (params.priority !== undefined && !Number.isSafeInteger(params.priority))
    throw new AppError("E_INVALID", "priority must be an integer");
  const all = {
    title: params.title === undefined ? undefined : checkTitle(params.title),
    priority: params.priority,
    tenant: trimmed(params.tenant),
    max_runtime_seconds: count("max_runtime_seconds", params.max_runtime_seconds),
    max_retries: count("max_retries", params.max_retries),
    model_override: trimmed(params.model_override),
    goal_mode: bit(params.goal_mode),
    goal_max_turns: count("goal_max_turns", params.goal_max_turns),
    auto_decompose: bit(params.auto_decompose),
    external: bit(params.external),
    hold: bit(params.hold),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function skillsOf(core: Core, params: EditParams): SkillsEdit | undefined {
  const { skills, add_skills, remove_skills } = params;
  if (skills === undefined && add_skills === undefined && remove_skills === undefined) return undefined;
  const toolsets = core.profiles.toolsets();
  return {
    all: skills === undefined ? undefined : checkSkills(skills, toolsets),
    add: checkSkills(add_skills ?? [], toolsets),
    remove: new Set((remove_skills ?? []).map((skill) => skill.trim())),
  };
}

/** Skills of a task after the change; their order stays, new ones come last. */
export function changedSkills(now: readonly string[], edit: SkillsEdit): readonly string[] {
  return [...new Set([...(edit.all ?? now), ...edit.add])].filter((skill) => !edit.remove.has(skill));
}

/** Columns of the workspace. Another kind begins without path, branch and base of the old one. */
async function placeOf(
  core: Core,
  board: BoardSlug,
  current: Task,
  { params, cwd }: { readonly params: EditParams; readonly cwd: string | undefined },
): Promise<TaskPatch | undefined> {
  const { workspace_kind, workspace_path, branch_name } = params;
  if (workspace_kind === undefined && workspace_path === undefined && branch_name === undefined) return undefined;
  const kind = workspace_kind ?? current.workspace_kind;
  const branch = branch_name === "" || branch_name === null ? undefined : branch_name;
  const path = workspace_path ?? undefined;
  const made = workspaceColumns({ workspace_kind: kind, workspace_path: path, branch_name: branch });
  const moved = workspace_kind !== undefined || workspace_path !== undefined;
  if (!moved) return { branch_name: branch ?? null };
  if (kind === "dir" && made.workspace_path === null) await needsDefault(core, board);
  const repo_path =
    kind === "worktree" ? await findRepository(core, board, { path: made.repo_path ?? null, cwd }) : null;
  const kept = branch_name === undefined && kind === "worktree" ? current.branch_name : (made.branch_name ?? null);
  const base_name = kind === "worktree" ? current.base_name : null;
  return { workspace_kind: kind, workspace_path: made.workspace_path ?? null, branch_name: kept, base_name, repo_path };
}
