import * as z from "zod";
import { toIso } from "../../base/units.js";
import { defineCommand } from "../define.js";
import { count } from "../render/change-summary.js";

const mb = (bytes: number): string => (bytes / (1 << 20)).toFixed(1);

export default defineCommand({
  path: "checkpoints status",
  aliases: ["checkpoints"],
  summary: "Show the checkpoint store: size, directories, limits.",
  topic: "checkpoints",
  params: z.object({}),
  surfaces: ["cli", "rpc"],
  access: "read",
  run: async (_params, ctx) => {
    const status = await ctx.checkpoints.status();
    const projects = status.projects.map(
      (one) =>
        `  ${one.directory}: ${count(one.checkpoints, "checkpoint")}, last active ${toIso(one.last_touch).slice(0, 10)}${one.exists ? "" : " (missing)"}`,
    );
    const text = [
      `Checkpoints are ${status.enabled ? "on" : "off (checkpoints.enabled, or --checkpoints for one run)"}.`,
      `Store: ${status.store}, ${mb(status.size_bytes)} of ${status.max_total_size_mb} MB`,
      `Limits: ${status.max_snapshots} for each directory, files up to ${status.max_file_size_mb} MB, ${status.retention_days} days`,
      ...(projects.length === 0 ? ["No directory has checkpoints."] : ["Directories:", ...projects]),
      ...(status.damaged === 0 ? [] : [`${status.damaged} damaged files; their contents are lost.`]),
      ...status.legacy.map((path) => `Older layout: ${path} (agent checkpoints clear-legacy removes it)`),
    ];
    return { text: text.join("\n"), data: status };
  },
});
