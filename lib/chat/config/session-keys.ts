import { configKey } from "../../contracts/config/config.js";

export const WRITE_JSON = configKey<boolean>({
  key: "sessions.write_json",
  kind: { type: "boolean" },
  default: false,
  help: "Keep sessions/session_<id>.json up to date after each turn, for other programs.",
});

export const AUTO_PRUNE = configKey<boolean>({
  key: "sessions.auto_prune",
  kind: { type: "boolean" },
  default: false,
  help: "Delete conversations that have ended and rested for sessions.retention_days.",
});

export const RETENTION_DAYS = configKey<number>({
  key: "sessions.retention_days",
  kind: { type: "integer", min: 1, max: 100_000 },
  default: 90,
  help: "Days after which automatic pruning deletes a conversation that has ended.",
});

export const PRUNE_INTERVAL = configKey<number>({
  key: "sessions.min_interval_hours",
  kind: { type: "integer", min: 1, max: 100_000 },
  default: 24,
  help: "Fewest hours between two automatic prunings.",
});

export const SESSION_KEYS = [WRITE_JSON, AUTO_PRUNE, RETENTION_DAYS, PRUNE_INTERVAL] as const;
