import * as z from "zod";
import { toIso } from "../../base/units.js";
import { toCronStatusJson } from "../../contracts/gateway/cron-json.js";
import { defineCommand } from "../define.js";
import { count } from "../render/change-summary.js";

export default defineCommand({
  path: "cron status",
  summary: "Show whether the scheduler is running and its last pass.",
  topic: "cron",
  params: z.object({}),
  surfaces: ["cli", "rpc"],
  access: "read",
  run: async (_params, ctx) => {
    const status = await ctx.cron.status();
    const { last } = status;
    const runs = status.running
      ? status.stalled
        ? "stalled"
        : "running"
      : "not running (no long-lived owner; agent --headless starts one)";
    const look =
      last === null
        ? "no pass yet"
        : `last pass ${status.age_seconds} s ago: ${last.due} due, ${last.started} started, ${last.skipped} skipped`;
    const next = status.next_run_at === null ? "" : `, next ${toIso(status.next_run_at)}`;
    const text = `${runs}; ${look}\n${count(status.jobs, "job")}, ${status.enabled} scheduled, ${status.working} running${next}`;
    return { text, data: toCronStatusJson(status) };
  },
});
