import * as z from "zod";
import { toIso } from "../../base/units.js";
import { toCronStatusJson } from "../../contracts/gateway/cron-json.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "cron status",
  summary: "Show whether schedules are looked at, and when that was.",
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
      : "not running (no owner that stays; agent --headless starts one)";
    const look =
      last === null
        ? "never looked"
        : `looked ${status.age_seconds} s ago: ${last.due} due, ${last.started} started, ${last.skipped} skipped`;
    const next = status.next_run_at === null ? "" : `, next ${toIso(status.next_run_at)}`;
    const text = `${runs}; ${look}\njobs ${status.jobs}, scheduled ${status.enabled}, working ${status.working}${next}`;
    return { text, data: toCronStatusJson(status) };
  },
});
