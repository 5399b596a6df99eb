import * as z from "zod";
import type {
  ChangeCounts,
  CheckpointRecord,
  CheckpointRow,
  CheckpointStatus,
  PlannedChange,
  Pruned,
  SkippedPath,
} from "../../owner/checkpoints.js";
import { epochMs } from "./values.js";

const changeCountsShape = z
  .object({ files: z.number(), added: z.number(), removed: z.number() })
  .meta({ id: "ChangeCounts" }) satisfies z.ZodType<ChangeCounts>;

/** Schema of `CheckpointRow`. */
export const checkpointRowShape = z
  .object({
    n: z.number().nullable(),
    changed: changeCountsShape,
    id: z.string(),
    directory: z.string(),
    lineage: z.string().nullable(),
    session: z.string().nullable(),
    turn: z.string().nullable(),
    round: z.number(),
    seq: z.number(),
    made_at: epochMs,
    kind: z.enum(["after", "before", "hand", "rollback"]),
    reason: z.string(),
    parent: z.string().nullable(),
    files: z.number(),
    partial: z.enum(["entries", "time", "size"]).exactOptional(),
  })
  .meta({ id: "CheckpointRow" }) satisfies z.ZodType<CheckpointRow>;

/** Schema of `PlannedChange`. */
export const plannedChangeShape = z
  .object({
    path: z.string(),
    change: z.enum(["create", "change", "remove", "mode"]),
    entry: z.enum(["file", "link", "directory"]),
    diff: z.string().exactOptional(),
  })
  .meta({ id: "PlannedChange" }) satisfies z.ZodType<PlannedChange>;

/** Schema of `CheckpointRecord`. */
export const checkpointRecordShape = z
  .object({
    id: z.string(),
    directory: z.string(),
    lineage: z.string().nullable(),
    session: z.string().nullable(),
    turn: z.string().nullable(),
    round: z.number(),
    seq: z.number(),
    made_at: epochMs,
    kind: z.enum(["after", "before", "hand", "rollback"]),
    reason: z.string(),
    parent: z.string().nullable(),
    files: z.number(),
    partial: z.enum(["entries", "time", "size"]).exactOptional(),
  })
  .meta({ id: "CheckpointRecord" }) satisfies z.ZodType<CheckpointRecord>;

/** Schema of `SkippedPath`. */
export const skippedPathShape = z
  .object({ path: z.string(), why: z.string() })
  .meta({ id: "SkippedPath" }) satisfies z.ZodType<SkippedPath>;

/** Schema of `Pruned`. */
export const prunedShape = z
  .object({ projects: z.number(), checkpoints: z.number(), freed_bytes: z.number(), size_bytes: z.number() })
  .meta({ id: "Pruned" }) satisfies z.ZodType<Pruned>;

/** Schema of `CheckpointStatus`. */
export const checkpointStatusShape = z
  .object({
    enabled: z.boolean(),
    store: z.string(),
    size_bytes: z.number(),
    max_total_size_mb: z.number(),
    max_snapshots: z.number(),
    max_file_size_mb: z.number(),
    retention_days: z.number(),
    projects: z.array(
      z.object({ directory: z.string(), checkpoints: z.number(), last_touch: z.number(), exists: z.boolean() }),
    ),
    legacy: z.array(z.string()),
    damaged: z.number(),
  })
  .meta({ id: "CheckpointStatus" }) satisfies z.ZodType<CheckpointStatus>;
