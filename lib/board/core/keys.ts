import { availableParallelism } from "node:os";
import { configKey } from "../../contracts/config/config.js";

const boolean = { type: "boolean" } as const;
const string = { type: "string" } as const;
const strings = { type: "strings" } as const;
const limit = { type: "limit" } as const;
const integer = (min: number, max?: number) =>
  ({ type: "integer", min, ...(max === undefined ? {} : { max }) }) as const;

/** Keys of the board (board part, 20). An empty string or 0 where the part says "unset" means unset. */
export const KANBAN = {
  dispatchInGateway: configKey({
    key: "kanban.dispatch_in_gateway",
    kind: boolean,
    default: true,
    help: "Start workers for ready tasks in the long-lived owner.",
  }),
  dispatchInterval: configKey({
    key: "kanban.dispatch_interval_seconds",
    kind: integer(1, 3600),
    default: 60,
    help: "Seconds between full dispatcher passes, in addition to events.",
  }),
  orchestratorProfile: configKey({
    key: "kanban.orchestrator_profile",
    kind: string,
    default: "",
    help: "Profile that coordinates decomposed tasks (empty = `default`).",
  }),
  defaultAssignee: configKey({
    key: "kanban.default_assignee",
    kind: string,
    default: "",
    help: "Profile for ready tasks without an assignee (empty = `default`).",
  }),
  defaultBoard: configKey({
    key: "kanban.default_board",
    kind: string,
    default: "",
    help: "Default board of this profile.",
  }),
  externalAssignees: configKey<readonly string[]>({
    key: "kanban.external_assignees",
    kind: strings,
    default: [],
    help: "Names outside the profiles that work tasks externally.",
  }),
  failureLimit: configKey({
    key: "kanban.failure_limit",
    kind: integer(1),
    default: 2,
    invalidIsDefault: true,
    help: "Consecutive failures before a task is blocked.",
  }),
  maxInProgress: configKey<number | string>({
    key: "kanban.max_in_progress",
    kind: limit,
    default: Math.max(1, Math.min(4, availableParallelism())),
    help: "Maximum concurrent workers on all boards, or `unlimited`.",
  }),
  maxInProgressPerProfile: configKey({
    key: "kanban.max_in_progress_per_profile",
    kind: integer(0),
    default: 0,
    help: "Maximum concurrent workers per profile (0 = no limit).",
  }),
  claimTtl: configKey({
    key: "kanban.claim_ttl_seconds",
    kind: integer(1),
    default: 900,
    env: "AGENT_KANBAN_CLAIM_TTL_SECONDS",
    help: "Lease of a claim in seconds.",
  }),
  heartbeatStale: configKey({
    key: "kanban.heartbeat_stale_seconds",
    kind: integer(1),
    default: 3600,
    help: "Age in seconds after which a heartbeat is stale.",
  }),
  staleTimeout: configKey({
    key: "kanban.dispatch_stale_timeout_seconds",
    kind: integer(0),
    default: 14_400,
    help: "Seconds after which a run with a stale heartbeat is ended (0 = never).",
  }),
  rateLimitCooldown: configKey({
    key: "kanban.rate_limit_cooldown_seconds",
    kind: integer(0),
    default: 300,
    env: "AGENT_KANBAN_RATE_LIMIT_COOLDOWN_SECONDS",
    help: "Seconds to wait after a rate-limited run, doubled each time (0 = none).",
  }),
  retryBackoff: configKey({
    key: "kanban.retry_backoff_seconds",
    kind: integer(0),
    default: 30,
    help: "Seconds to wait after the second consecutive failure, doubled each time (0 = none).",
  }),
  killGrace: configKey({
    key: "kanban.kill_grace_seconds",
    kind: integer(0),
    default: 5,
    help: "Seconds between SIGTERM and SIGKILL for a worker.",
  }),
  protocolReminders: configKey({
    key: "kanban.protocol_reminders",
    kind: integer(0, 2),
    default: 2,
    help: "Reminders to a worker that stops without completing or blocking its task.",
  }),
  workerCanCreate: configKey({
    key: "kanban.worker_can_create",
    kind: { type: "choice", of: ["false", "orchestrator", "true"] },
    default: "false",
    help: "Workers that may create and link tasks.",
  }),
  workerApprovals: configKey({
    key: "kanban.worker_approvals",
    kind: { type: "choice", of: ["block", "allow"] },
    default: "block",
    help: "What to do with a worker's command that needs approval.",
  }),
  workerEnv: configKey<readonly string[]>({
    key: "kanban.worker_env",
    kind: strings,
    default: [],
    help: "Environment variables passed to workers.",
  }),
  maxTokensPerTask: configKey({
    key: "kanban.max_tokens_per_task",
    kind: integer(0),
    default: 0,
    help: "Token budget (input and output) of all runs of a task (0 = no limit).",
  }),
  logRotateBytes: configKey({
    key: "kanban.worker_log_rotate_bytes",
    kind: integer(1024),
    default: 2_097_152,
    help: "Size in bytes at which a worker log is rotated.",
  }),
  logBackups: configKey({
    key: "kanban.worker_log_backup_count",
    kind: integer(1),
    default: 1,
    help: "Number of rotated worker logs to keep.",
  }),
  branchPrefix: configKey({
    key: "kanban.worktree_branch_prefix",
    kind: string,
    default: "agent/",
    help: "Branch prefix of worktree tasks.",
  }),
  attachmentMax: configKey({
    key: "kanban.attachment_max_bytes",
    kind: integer(1),
    default: 26_214_400,
    help: "Maximum size of an attachment in bytes.",
  }),
  attachmentsBoardMax: configKey({
    key: "kanban.attachments_board_max_bytes",
    kind: integer(1),
    default: 2_147_483_648,
    help: "Maximum size of all attachments of a board in bytes.",
  }),
  autoDecompose: configKey({
    key: "kanban.auto_decompose",
    kind: boolean,
    default: true,
    help: "Decompose triage tasks automatically if an auxiliary model is configured.",
  }),
  autoDecomposePerTick: configKey({
    key: "kanban.auto_decompose_per_tick",
    kind: integer(0),
    default: 3,
    help: "Automatic decompositions started per dispatch interval, over all boards.",
  }),
  autoDecomposeSettle: configKey({
    key: "kanban.auto_decompose_settle_seconds",
    kind: integer(0),
    default: 30,
    help: "Seconds without an edit or comment before a triage task is decomposed automatically.",
  }),
  autoDecomposeMaxAttempts: configKey({
    key: "kanban.auto_decompose_max_attempts",
    kind: integer(1),
    default: 3,
    help: "Automatic attempts per triage task.",
  }),
  autoDecomposeMaxChildren: configKey({
    key: "kanban.auto_decompose_max_children",
    kind: integer(1, 100),
    default: 20,
    help: "Maximum tasks created by one decomposition.",
  }),
  notifyMaxAge: configKey({
    key: "kanban.notify_max_age_days",
    kind: integer(1, 3650),
    default: 7,
    help: "Days that a message to a chat waits for its platform.",
  }),
  autoGc: configKey({
    key: "kanban.auto_gc",
    kind: boolean,
    default: false,
    help: "Run agent kanban gc once a day.",
  }),
  autoPromoteChildren: configKey({
    key: "kanban.auto_promote_children",
    kind: boolean,
    default: true,
    help: "Start the children of a decomposition automatically.",
  }),
} as const;

export const BOARD_KEYS = Object.values(KANBAN);
