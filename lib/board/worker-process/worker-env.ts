import type { ClaimRef, Task } from "../../contracts/board/board.js";
import { isSafeMode, SAFE_MODE_VARIABLE } from "../../contracts/config/safe-mode.js";
import type { WorkerProfile } from "./worker-profile.js";

type Env = Readonly<Record<string, string | undefined>>;

/** What of the owner's own environment a worker gets. Secrets of the owner are not in it. */
const ALLOWED = new Set([
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LANGUAGE",
  "TZ",
  "TERM",
  "TMPDIR",
  // Where the app-server is and keeps its settings: neither is a secret.
  "AGENT_APP_SERVER_BIN",
  "CODEX_HOME",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "ALL_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "all_proxy",
  "no_proxy",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NODE_EXTRA_CA_CERTS",
  "CURL_CA_BUNDLE",
  "REQUESTS_CA_BUNDLE",
  "GIT_SSL_CAINFO",
]);

/** Seconds that terminal commands of a worker leave for everything else before its runtime ends (board part, 7.3). */
const LEFT_FOR_THE_REST = 30;
const TERMINAL_DEFAULTS = [
  ["TERMINAL_TIMEOUT", 180],
  ["TERMINAL_MAX_FOREGROUND_TIMEOUT", 600],
] as const;

export interface WorkerPlace {
  readonly root: string;
  readonly board: string;
  readonly task: Task;
  readonly claim: ClaimRef;
  readonly claimFile: string;
  readonly workspace: string;
  readonly branch: string | null;
  /** Random per run. Finds descendants that left the group; grants nothing. */
  readonly mark: string;
}

/** Whole environment of a worker (board part, 7.3). `owner` is the owner's environment, `extra` the names of `kanban.worker_env`. */
export function workerEnv(
  place: WorkerPlace,
  profile: WorkerProfile,
  owner: Env,
  extra: readonly string[],
): Record<string, string> {
  const base = { ...toInheritedEnv(owner, extra), ...profile.env };
  const safe = isSafeMode(owner) ? { [SAFE_MODE_VARIABLE]: "1" } : {};
  return { ...base, ...longerTimeouts(place.task, base), ...ownVariables(place, profile), ...safe };
}

/** What of the owner's environment programs get that work for it without being tools. `extra`: names that pass besides. */
export function toInheritedEnv(owner: Env, extra: readonly string[]): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(owner)) {
    if (value !== undefined && (ALLOWED.has(name) || name.startsWith("LC_") || extra.includes(name)))
      kept[name] = value;
  }
  return kept;
}

function ownVariables({ task, claim, ...place }: WorkerPlace, profile: WorkerProfile): Record<string, string> {
  return {
    AGENT_HOME: profile.home,
    AGENT_PROFILE: profile.name,
    AGENT_KANBAN_TASK: task.id,
    AGENT_KANBAN_RUN_ID: String(claim.run),
    AGENT_KANBAN_CLAIM: place.claimFile,
    AGENT_KANBAN_HOME: place.root,
    AGENT_KANBAN_BOARD: place.board,
    AGENT_KANBAN_WORKSPACE: place.workspace,
    ...(place.branch ? { AGENT_KANBAN_BRANCH: place.branch } : {}),
    ...(task.tenant ? { AGENT_TENANT: task.tenant } : {}),
    ...(task.goal_mode ? { AGENT_KANBAN_GOAL_MODE: "1" } : {}),
    ...(task.goal_mode && task.goal_max_turns !== null
      ? { AGENT_KANBAN_GOAL_MAX_TURNS: String(task.goal_max_turns) }
      : {}),
    AGENT_WORKER_MARK: place.mark,
  };
}

/** Seconds that one terminal command may take in a run with a cap on its runtime; null without a cap (board part, 7.3). */
export function terminalTimeout(task: Pick<Task, "max_runtime_seconds">): number | null {
  return task.max_runtime_seconds === null
    ? null
    : Math.max(TERMINAL_DEFAULTS[0][1], task.max_runtime_seconds - LEFT_FOR_THE_REST);
}

/** A task with a long runtime may wait that long for one command. */
function longerTimeouts(task: Task, env: Env): Record<string, string> {
  if (task.max_runtime_seconds === null) return {};
  const longest = task.max_runtime_seconds - LEFT_FOR_THE_REST;
  const raised: Record<string, string> = {};
  for (const [name, usual] of TERMINAL_DEFAULTS) {
    const set = Number(env[name]);
    if (longest > (Number.isFinite(set) && set > 0 ? set : usual)) raised[name] = String(longest);
  }
  return raised;
}
