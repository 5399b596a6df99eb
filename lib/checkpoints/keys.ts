import { configKey } from "../contracts/config/config.js";

/** Settings of checkpoints (core part, 31). */
export const CHECKPOINTS = {
  enabled: configKey<boolean>({
    key: "checkpoints.enabled",
    kind: { type: "boolean" },
    default: false,
    help: "Keep the state of a project's files before the agent changes them, so that it can be brought back.",
  }),
  maxSnapshots: configKey<number>({
    key: "checkpoints.max_snapshots",
    kind: { type: "integer", min: 1, max: 10_000 },
    default: 20,
    help: "Checkpoints that stay for each directory.",
  }),
  maxTotalSize: configKey<number>({
    key: "checkpoints.max_total_size_mb",
    kind: { type: "integer", min: 1 },
    default: 500,
    help: "Size in MB under which the checkpoints of all directories together are kept.",
  }),
  maxFileSize: configKey<number>({
    key: "checkpoints.max_file_size_mb",
    kind: { type: "integer", min: 1, max: 1_024 },
    default: 10,
    help: "Larger files are left out of checkpoints.",
  }),
  autoPrune: configKey<boolean>({
    key: "checkpoints.auto_prune",
    kind: { type: "boolean" },
    default: true,
    help: "Remove the checkpoints of directories that are gone or have not been worked on for long.",
  }),
  retentionDays: configKey<number>({
    key: "checkpoints.retention_days",
    kind: { type: "integer", min: 1, max: 36_500 },
    default: 7,
    help: "Days after which the checkpoints of a directory that nobody has worked on are removed.",
  }),
  deleteOrphans: configKey<boolean>({
    key: "checkpoints.delete_orphans",
    kind: { type: "boolean" },
    default: true,
    help: "Also remove the checkpoints of directories that are gone.",
  }),
  minInterval: configKey<number>({
    key: "checkpoints.min_interval_hours",
    kind: { type: "integer", min: 0, max: 87_600 },
    default: 24,
    help: "Hours between two clearings by itself.",
  }),
} as const;

export const CHECKPOINT_KEYS = Object.values(CHECKPOINTS);
