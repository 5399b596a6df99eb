import * as z from "zod";
import type { PassResult } from "../proto/board.js";
import { defineCommand } from "./define.js";
import { personFor } from "./kanban/target.js";

export default defineCommand({
  path: "kanban dispatch",
  summary: "Run one pass of the dispatcher.",
  topic: "kanban",
  params: z.object({
    dry_run: z.boolean().default(false).describe("only say what a pass would do now"),
    max: z.number().int().min(0).optional().describe("start at most so many"),
    failure_limit: z.number().int().min(1).optional().describe("failures in a row that block a task, for this pass"),
  }),
  surfaces: ["cli", "slash", "rpc"],
  access: "admin",
  where: "root",
  run: async (params, ctx) => {
    await personFor(ctx);
    const { max, failure_limit: failureLimit } = params;
    const options = { ...(max === undefined ? {} : { max }), ...(failureLimit === undefined ? {} : { failureLimit }) };
    const data = await ctx.board.dispatch({ dryRun: params.dry_run, ...options });
    const orphans = data.spawned.length > 0 && !data.dry_run && (await ctx.owner.status()).kind === "command";
    const warnings = orphans ? ["the workers need a long-lived owner to report to: start one with agent --headless"] : [];
    return { text: textOf(data), data, warnings };
  },
});

const COUNTERS = ["reclaimed", "promoted", "due", "skipped_capped", "skipped_paused"] as const;
const LISTS = ["crashed", "timed_out", "stale", "rate_limited", "protocol_violations", "auto_blocked", "auto_assigned_default"] as const;

function textOf(pass: PassResult): string {
  const lines = [
    ...COUNTERS.flatMap((name) => (pass[name] === 0 ? [] : [`${label(name)}: ${pass[name]}`])),
    ...LISTS.flatMap((name) => (pass[name].length === 0 ? [] : [`${label(name)}: ${pass[name].length} (${pass[name].join(", ")})`])),
    ...(pass.spawned.length === 0 ? [] : [`${pass.dry_run ? "would start" : "spawned"}: ${pass.spawned.length}`]),
    ...pass.spawned.map((one) => `  - ${one.task_id}  ->  ${one.assignee}  @ ${one.workspace ?? "-"}${pass.dry_run ? " (dry)" : ""}`),
    ...pass.skipped_unassigned.map((id) => `skipped ${id}: no assignee`),
    ...pass.skipped_nonspawnable.map((id) => `skipped ${id}: its assignee is no profile, or it is external`),
    ...pass.skipped_per_profile_capped.map((one) => `skipped ${one.task_id}: ${one.assignee} has ${one.current} running already`),
    ...pass.respawn_guarded.map((one) => `skipped ${one.task_id}: ${one.reason} until ${new Date(one.until * 1000).toISOString()}`),
  ];
  return lines.length === 0 ? "Nothing to do." : lines.join("\n");
}

const label = (name: string): string => name.replaceAll("_", " ");
