import { type ConfigKey, configKey } from "../../contracts/config/config.js";

export const CRON = {
  wrap: configKey<boolean>({
    key: "cron.wrap_response",
    kind: { type: "boolean" },
    default: true,
    help: "What a job delivers begins with its name and ends with how to stop it.",
  }),
  parallel: configKey<number>({
    key: "cron.max_parallel_jobs",
    kind: { type: "integer", min: 1, max: 64 },
    default: 4,
    env: "AGENT_CRON_MAX_PARALLEL",
    help: "Jobs that run at the same time; more wait for their turn.",
  }),
  scriptTimeout: configKey<number>({
    key: "cron.script_timeout_seconds",
    kind: { type: "integer", min: 1 },
    default: 120,
    env: "AGENT_CRON_SCRIPT_TIMEOUT",
    help: "Seconds that the script of a job may take.",
  }),
  keep: configKey<number>({
    key: "cron.output_keep",
    kind: { type: "integer", min: 1 },
    default: 50,
    help: "Output files that are kept of each job.",
  }),
  timezone: configKey<string>({
    key: "timezone",
    kind: { type: "string" },
    default: "",
    help: "Time zone of jobs that name none, e.g. Europe/Berlin; empty: that of the system.",
  }),
  deadline: configKey<number>({
    key: "gateway.turn_deadline_seconds",
    kind: { type: "integer", min: 0 },
    default: 7200,
    help: "Seconds that a turn of a chat or a job may take, without the time that it waits for a person; 0: no limit.",
  }),
} as const;

export const CRON_KEYS: readonly ConfigKey<unknown>[] = Object.values(CRON);
