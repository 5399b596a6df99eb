import { homedir } from "node:os";
import { isAbsolute } from "node:path";
import type { TaskRow } from "../../../storage/tables/board/rows.js";
import { AppError } from "../../base/errors.js";
import { expandTilde } from "../../base/tilde.js";
import type { BoardSlug } from "../../base/units.js";
import type { NewTask } from "../../contracts/board/api.js";
import type { Actor } from "../../contracts/board/board.js";
import type { ChatOrigin } from "../../contracts/board/notify.js";
import { isBranchName } from "../../safety/git/branch-name.js";
import type { Core } from "../core/core.js";
import { KANBAN } from "../core/keys.js";
import { readBoardSettings } from "../core/known.js";
import { checkTexts, checkTitle } from "../core/texts.js";
import { findRepository } from "../workspaces/repository.js";
import { checkFuture } from "./block-schedule.js";

/** Columns of a new task that come from what was given. */
type GivenColumn =
  | "title"
  | "assignee"
  | "priority"
  | "tenant"
  | "workspace_kind"
  | "workspace_path"
  | "branch_name"
  | "base_name"
  | "repo_path"
  | "created_by"
  | "skills"
  | "max_retries"
  | "session_id"
  | "idempotency_key"
  | "max_runtime_seconds"
  | "goal_mode"
  | "goal_max_turns"
  | "model_override"
  | "scheduled_at"
  | "external"
  | "auto_decompose";

/** A new task, checked, before an id and a status are drawn for it. */
export interface TaskDraft {
  readonly body: string | null;
  readonly parents: readonly string[];
  readonly skills: readonly string[];
  readonly key: string | null;
  /** Chat that is notified of the task. */
  readonly origin: ChatOrigin | undefined;
  readonly triage: boolean;
  /** Blocked at birth. */
  readonly blocked: boolean;
  readonly columns: Pick<TaskRow, GivenColumn>;
  readonly warnings: readonly string[];
}

/** Check what was given (board part, 4.1). @throws E_INVALID, E_TOO_LARGE, E_WORKSPACE */
export async function checkNewTask(core: Core, board: BoardSlug, params: NewTask, by: Actor): Promise<TaskDraft> {
  const clean = by.kind === "worker" ? core.redact : (text: string) => text;
  const title = checkTitle(clean(params.title));
  const body = params.body === undefined || params.body === "" ? null : clean(params.body);
  checkTexts({ body });
  const assignee = params.assignee === undefined ? null : parseAssignee(params.assignee);
  const skills = checkSkills(params.skills ?? [], core.profiles.toolsets());
  const key = params.idempotency_key?.trim() || null;
  const parents = [...new Set(params.parents ?? [])];
  if (parents.length > 100)
    throw new AppError("E_TOO_LARGE", `a task may have at most 100 parents, not ${parents.length}`);
  checkFuture(params.scheduled_at ?? null, { at: core.clock.now() });
  const given = workspaceColumns(params);
  const worktree = given.workspace_kind === "worktree";
  if (given.workspace_kind === "dir" && given.workspace_path === null) await needsDefault(core, board);
  const repo_path = worktree
    ? await findRepository(core, board, { path: given.repo_path ?? null, cwd: params.cwd })
    : null;
  return {
    body,
    parents,
    skills,
    key,
    origin: params.origin,
    triage: params.triage === true,
    blocked: params.initial_status === "blocked",
    warnings: [
      ...(await assigneeWarnings(core, assignee))(params.external === true),
      ...(await skillWarnings(core, assignee, skills)),
    ],
    columns: {
      title,
      assignee,
      priority: params.priority ?? 0,
      tenant: params.tenant?.trim() || null,
      workspace_kind: given.workspace_kind ?? "scratch",
      workspace_path: given.workspace_path ?? null,
      branch_name: given.branch_name ?? null,
      base_name: given.base_name ?? null,
      repo_path,
      created_by: params.created_by ?? by.name,
      skills: JSON.stringify(skills),
      max_retries: atLeastOne("max_retries", params.max_retries),
      session_id: params.session_id ?? null,
      idempotency_key: key,
      max_runtime_seconds: atLeastOne("max_runtime_seconds", params.max_runtime_seconds),
      goal_mode: params.goal_mode === true ? 1 : 0,
      goal_max_turns: atLeastOne("goal_max_turns", params.goal_max_turns),
      model_override: params.model_override?.trim() || null,
      scheduled_at: params.scheduled_at ?? null,
      external: params.external === true ? 1 : 0,
      auto_decompose: params.auto_decompose === false ? 0 : 1,
    },
  };
}

/** A directory task without a path needs the board's. @throws E_WORKSPACE */
export async function needsDefault(core: Core, board: BoardSlug): Promise<void> {
  if ((await readBoardSettings(core, board)).default_workdir !== "") return;
  throw new AppError("E_WORKSPACE", `board ${board} has no default directory: pass --workspace dir:<path>`);
}

/** An assignee as it is stored: trimmed, lower case. @throws E_INVALID */
export function parseAssignee(given: string): string | null {
  const name = given.trim().toLowerCase();
  if (name === "" || name === "none" || name === "-" || name === "null") return null;
  if (/[\s\u0000-\u001f\u007f-\u009f]/.test(name) || name.length > 64) {
    throw new AppError(
      "E_INVALID",
      `invalid assignee ${JSON.stringify(given.slice(0, 80))} (no spaces, at most 64 characters)`,
    );
  }
  return name;
}

/** No worker would ever start the task: said, not refused. Asked before a transaction; what it answers may be called within. */
export async function assigneeWarnings(
  core: Core,
  assignee: string | null,
): Promise<(external: boolean) => readonly string[]> {
  const found = assignee === null ? [] : warningsAbout(core, assignee, await core.profiles.workerProblem?.(assignee));
  return (external) => (external ? [] : found);
}

function warningsAbout(core: Core, assignee: string, problem: string | undefined): readonly string[] {
  if (problem !== undefined) return [`profile ${assignee} cannot start a worker; the task will wait: ${problem}`];
  if (core.profiles.lacksModel?.(assignee) === true)
    return [
      `profile ${assignee} does not have a model; its worker may use the offline assistant (agent -p ${assignee} setup sets one)`,
    ];
  if (core.profiles.exists(assignee)) return [];
  if (core.config.get(KANBAN.externalAssignees).includes(assignee)) return [];
  return [`profile ${assignee} does not exist; the task will wait (use --external for external work)`];
}

/** Its worker would start without these skills: said, not refused. */
export async function skillWarnings(
  core: Core,
  assignee: string | null,
  skills: readonly string[],
): Promise<readonly string[]> {
  const { exists, hasSkill } = core.profiles;
  if (assignee === null || hasSkill === undefined || !exists(assignee)) return [];
  const missing: string[] = [];
  for (const skill of skills) if (!(await hasSkill(assignee, skill))) missing.push(skill);
  return missing.length === 0
    ? []
    : [`profile ${assignee} does not have skill ${missing.join(", ")}; its worker starts without it`];
}

/** Skill names, trimmed, each once. @throws E_INVALID naming every offender */
export function checkSkills(given: readonly string[], toolsets: readonly string[]): readonly string[] {
  if (given.length === 0) return given;
  const skills = [...new Set(given.map((skill) => skill.trim()).filter((skill) => skill !== ""))];
  const taken = new Set(toolsets.map((name) => name.toLowerCase()));
  const offenders = skills.flatMap((skill) => {
    if (skill.includes(",")) return [`'${skill}' (a comma is not allowed; repeat the flag)`];
    return taken.has(skill.toLowerCase()) ? [`'${skill}' (a toolset, not a skill)`] : [];
  });
  if (offenders.length > 0) throw new AppError("E_INVALID", `invalid skill name(s): ${offenders.join(", ")}`);
  return skills;
}

/** @throws E_INVALID */
export function atLeastOne(name: string, value: number | undefined): number | null {
  if (value === undefined) return null;
  if (!Number.isInteger(value) || value < 1)
    throw new AppError("E_INVALID", `${name} must be an integer of at least 1, not ${value}`);
  return value;
}

/** Columns of a workspace as it was given. @throws E_INVALID */
export function workspaceColumns(
  params: Pick<NewTask, "workspace_kind" | "workspace_path" | "branch_name" | "base_name">,
): Pick<TaskRow, "workspace_kind" | "workspace_path" | "branch_name" | "base_name" | "repo_path"> {
  const kind = params.workspace_kind ?? "scratch";
  const path =
    params.workspace_path === undefined || params.workspace_path === "" ? null : expandHome(params.workspace_path);
  if (path !== null && !isAbsolute(path)) throw new AppError("E_INVALID", `workspace path must be absolute: ${path}`);
  if (kind !== "worktree" && (params.branch_name !== undefined || params.base_name !== undefined)) {
    throw new AppError("E_INVALID", "branch and base require a worktree workspace");
  }
  if (params.branch_name !== undefined && !isBranchName(params.branch_name)) {
    throw new AppError("E_INVALID", `invalid branch name ${JSON.stringify(params.branch_name)}`);
  }
  const worktree = kind === "worktree";
  return {
    workspace_kind: kind,
    workspace_path: worktree ? null : path,
    branch_name: params.branch_name ?? null,
    base_name: params.base_name ?? null,
    repo_path: worktree ? path : null,
  };
}

const expandHome = (path: string): string => expandTilde(path, homedir());
