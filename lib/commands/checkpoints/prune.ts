import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "checkpoints prune",
  summary: "Remove checkpoints of directories that are gone or not worked on any more, and what does not fit.",
  topic: "checkpoints",
  params: z.object({
    retention_days: z
      .number()
      .int()
      .min(0)
      .optional()
      .describe("days without work; default checkpoints.retention_days"),
    max_size_mb: z
      .number()
      .int()
      .min(0)
      .optional()
      .describe("size that the store may have; default checkpoints.max_total_size_mb"),
    keep_orphans: z.boolean().default(false).describe("keep those of directories that are gone"),
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
