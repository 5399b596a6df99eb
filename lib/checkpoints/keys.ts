import { configKey } from "../contracts/config/config.js";

/** Settings of checkpoints (core part, 31). */
export const CHECKPOINTS = {
  enabled: configKey<boolean>({
    key: "checkpoints.enabled",
    kind: { type: "boolean" },
    default: false,
    help: "Snapshot a project's files before the agent changes them.",
  }),
  maxSnapshots: configKey<number>({
    key: "checkpoints.max_snapshots",
    kind: { type: "integer", min: 1, max: 10_000 },
    default: 20,
    help: "Checkpoints kept per directory.",
  }),
  maxTotalSize: configKey<number>({
    key: "checkpoints.max_total_size_mb",
    kind: { type: "integer", min: 1 },
    default: 500,
    help: "Maximum size of all checkpoints in MB.",
  }),
  maxFileSize: configKey<number>({
    key: "checkpoints.max_file_size_mb",
    kind: { type: "integer", min: 1, max: 1_024 },
    default: 10,
    help: "Maximum size in MB of a file in a checkpoint; larger files are skipped.",
  }),
  autoPrune: configKey<boolean>({
    key: "checkpoints.auto_prune",
    kind: { type: "boolean" },
    default: true,
    help: "Remove checkpoints of missing and inactive directories automatically.",
  }),
  retentionDays: configKey<number>({
    key: "checkpoints.retention_days",
    kind: { type: "integer", min: 1, max: 36_500 },
    default: 7,
    help: "Days without activity after which the checkpoints of a directory are removed.",
  }),
  deleteOrphans: configKey<boolean>({
    key: "checkpoints.delete_orphans",
    kind: { type: "boolean" },
    default: true,
    help: "Also remove the checkpoints of missing directories.",
  }),
  minInterval: configKey<number>({
    key: "checkpoints.min_interval_hours",
    kind: { type: "integer", min: 0, max: 87_600 },
    default: 24,
    help: "Hours between automatic removals.",
  }),
} as const;

export const CHECKPOINT_KEYS = Object.values(CHECKPOINTS);
