import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "checkpoints prune",
  summary: "Remove checkpoints of missing or inactive directories, then the oldest above the size limit.",
  topic: "checkpoints",
  params: z.object({
    retention_days: z
      .number()
      .int()
      .min(0)
      .optional()
      .describe("days without activity (default checkpoints.retention_days)"),
    max_size_mb: z
      .number()
      .int()
      .min(0)
      .optional()
      .describe("maximum size of the store in MB (default checkpoints.max_total_size_mb)"),
    keep_orphans: z.boolean().default(false).describe("keep checkpoints of missing directories"),
  }),
  surfaces: ["cli", "rpc"],
  access: "write",
  run: async ({ retention_days, max_size_mb, keep_orphans }, ctx) => {
    const gone = await ctx.checkpoints.prune({
      ...(retention_days === undefined ? {} : { retentionDays: retention_days }),
      ...(max_size_mb === undefined ? {} : { maxSizeMb: max_size_mb }),
      ...(keep_orphans ? { keepOrphans: true } : {}),
    });
    const mb = (bytes: number) => (bytes / (1 << 20)).toFixed(1);
    const text = `Removed ${gone.checkpoints} checkpoints and ${gone.projects} directories, ${mb(gone.freed_bytes)} MB; the store has ${mb(gone.size_bytes)} MB.`;
    return { text, data: gone };
  },
});
