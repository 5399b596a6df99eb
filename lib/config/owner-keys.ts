import { configKey } from "../contracts/config/config.js";

export const LOG_LEVEL = configKey<"debug" | "info" | "warning" | "error">({
  key: "logging.level",
  kind: { type: "choice", of: ["debug", "info", "warning", "error"] },
  default: "info",
  help: "Minimum log level.",
});

export const LOG_SIZE = configKey<number>({
  key: "logging.max_size_mb",
  kind: { type: "integer", min: 1, max: 1024 },
  default: 5,
  help: "Size in MB at which a log file is rotated.",
});

export const LOG_BACKUPS = configKey<number>({
  key: "logging.backup_count",
  kind: { type: "integer", min: 1, max: 100 },
  default: 3,
  help: "Number of rotated log files to keep.",
});

export const WEB_PORT = configKey<number>({
  key: "owner.port",
  kind: { type: "integer", min: 0, max: 65_535 },
  default: 0,
  help: "Port of the loopback WebSocket (0 = any free port).",
});

export const ALLOW_NETWORK_FS = configKey<boolean>({
  key: "storage.allow_network_fs",
  kind: { type: "boolean" },
  default: false,
  help: "Allow a home on a network file system, where locks and fsync are unreliable.",
});

export const OWNER_KEYS = [ALLOW_NETWORK_FS, LOG_LEVEL, LOG_SIZE, LOG_BACKUPS, WEB_PORT] as const;
