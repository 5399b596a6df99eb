import { configKey } from "../../contracts/config/config.js";

export const WRITE_JSON = configKey<boolean>({
  key: "sessions.write_json",
  kind: { type: "boolean" },
  default: false,
  help: "Update sessions/session_<id>.json after each turn, for other programs.",
});

export const AUTO_PRUNE = configKey<boolean>({
  key: "sessions.auto_prune",
  kind: { type: "boolean" },
  default: false,
  help: "Delete ended conversations that have been inactive for sessions.retention_days.",
});

export const RETENTION_DAYS = configKey<number>({
  key: "sessions.retention_days",
  kind: { type: "integer", min: 1, max: 100_000 },
  default: 90,
  help: "Days after which an ended conversation is deleted by automatic pruning.",
});

export const PRUNE_INTERVAL = configKey<number>({
  key: "sessions.min_interval_hours",
  kind: { type: "integer", min: 1, max: 100_000 },
  default: 24,
  help: "Minimum hours between automatic prunings.",
});

export const SESSION_KEYS = [WRITE_JSON, AUTO_PRUNE, RETENTION_DAYS, PRUNE_INTERVAL] as const;
