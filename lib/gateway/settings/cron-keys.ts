import { type ConfigKey, configKey } from "../../contracts/config/config.js";

export const CRON = {
  wrap: configKey<boolean>({
    key: "cron.wrap_response",
    kind: { type: "boolean" },
    default: true,
    help: "Add the job name and how to stop it to delivered output.",
  }),
  parallel: configKey<number>({
    key: "cron.max_parallel_jobs",
    kind: { type: "integer", min: 1, max: 64 },
    default: 4,
    env: "AGENT_CRON_MAX_PARALLEL",
    help: "Maximum concurrent jobs.",
  }),
  scriptTimeout: configKey<number>({
    key: "cron.script_timeout_seconds",
    kind: { type: "integer", min: 1 },
    default: 120,
    env: "AGENT_CRON_SCRIPT_TIMEOUT",
    help: "Timeout of a job's script in seconds.",
  }),
  keep: configKey<number>({
    key: "cron.output_keep",
    kind: { type: "integer", min: 1 },
    default: 50,
    help: "Output files kept per job.",
  }),
  timezone: configKey<string>({
    key: "timezone",
    kind: { type: "string" },
    default: "",
    help: "Default time zone of jobs, e.g. Europe/Berlin (empty = the system's).",
  }),
} as const;

export const CRON_KEYS: readonly ConfigKey<unknown>[] = Object.values(CRON);
