import type { Ms } from "../../base/units.js";
import { type Config, configKey } from "../../contracts/config/config.js";
import { KANBAN } from "../core/keys.js";

/** What one pass of the dispatcher goes by. Read again at the start of each pass (board part, 6.3). */
export interface DispatchSettings {
  readonly intervalMs: Ms;
  readonly defaultAssignee: string | undefined;
  readonly orchestrator: string | undefined;
  readonly externalAssignees: readonly string[];
  /** Open runs with a worker, all boards together; Infinity: no limit. */
  readonly maxInProgress: number;
  readonly maxPerProfile: number;
  readonly heartbeatStaleSeconds: number;
  /** 0: never. */
  readonly staleTimeoutSeconds: number;
  readonly killGraceMs: Ms;
  readonly workerEnv: readonly string[];
  readonly logMaxBytes: number;
  readonly logBackups: number;
}

const MAX_SPAWN = configKey<number | string>({
  key: "kanban.max_spawn",
  kind: { type: "limit" },
  default: "",
  help: "Older name of kanban.max_in_progress; if both are set, the smaller one applies.",
});

/** Whether a workspace that owns its home works for others as well: dispatcher and gateway ask it. */
export const IN_WORKSPACE = configKey({
  key: "gateway.in_workspace",
  kind: { type: "boolean" },
  default: true,
  help: "A workspace that owns its home also dispatches and serves the gateway.",
});

export const DISPATCHER_KEYS = [MAX_SPAWN, IN_WORKSPACE] as const;

type Env = Readonly<Record<string, string | undefined>>;

/** Workers are started in this process: `kanban.dispatch_in_gateway`, unless the environment says no, or the workspace was started without. */
export function mayDispatch(config: Config, env: Env, workspace = false): boolean {
  if (workspace && !config.get(IN_WORKSPACE)) return false;
  const switched = env["AGENT_KANBAN_DISPATCH_IN_GATEWAY"]?.trim().toLowerCase() ?? "";
  return !["0", "false", "no", "off"].includes(switched) && config.get(KANBAN.dispatchInGateway);
}

export function readDispatchSettings(config: Config): DispatchSettings {
  const perProfile = config.get(KANBAN.maxInProgressPerProfile);
  return {
    intervalMs: config.get(KANBAN.dispatchInterval) * 1000,
    defaultAssignee: config.get(KANBAN.defaultAssignee) || undefined,
    orchestrator: config.get(KANBAN.orchestratorProfile) || undefined,
    externalAssignees: config.get(KANBAN.externalAssignees),
    maxInProgress: globalCap(config),
    maxPerProfile: perProfile >= 1 ? perProfile : Number.POSITIVE_INFINITY,
    heartbeatStaleSeconds: config.get(KANBAN.heartbeatStale),
    staleTimeoutSeconds: config.get(KANBAN.staleTimeout),
    killGraceMs: config.get(KANBAN.killGrace) * 1000,
    workerEnv: config.get(KANBAN.workerEnv),
    logMaxBytes: config.get(KANBAN.logRotateBytes),
    logBackups: config.get(KANBAN.logBackups),
  };
}

/** Workers at once (board part, 6.6). The older name counts too; a default does not hold against it. */
function globalCap(config: Config): number {
  const old = cap(config.get(MAX_SPAWN));
  const given = cap(config.get(KANBAN.maxInProgress)) ?? KANBAN.maxInProgress.default;
  if (old === undefined) return Number(given);
  return config.source(KANBAN.maxInProgress) === "default" ? old : Math.min(old, Number(given));
}

/** A number, or no limit; undefined when unset. */
function cap(value: number | string): number | undefined {
  if (value === "unlimited") return Number.POSITIVE_INFINITY;
  return value === "" ? undefined : Number(value);
}
