import * as z from "zod";
import { systemClock } from "../base/clock.js";
import { AppError } from "../base/errors.js";
import { toUnix } from "../base/units.js";
import { defineCommand } from "./define.js";
import { runLines } from "./kanban/render.js";
import { boardFor, taskId } from "./kanban/target.js";

export default defineCommand({
  path: "kanban runs",
  summary: "List the attempts at a task.",
  topic: "kanban",
  params: z.object({
    id: taskId,
    state_type: z.enum(["status", "outcome"]).optional().describe("filter by this; with --state-name"),
    state_name: z.string().optional().describe("value to filter by; with --state-type"),
  }),
  positionals: ["id"],
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  where: "root",
  run: async ({ id, ...filter }, ctx) => {
    if ((filter.state_type === undefined) !== (filter.state_name === undefined)) {
      throw new AppError("E_USAGE", "--state-type and --state-name go together");
    }
    const { board, warnings } = await boardFor(ctx, "read");
    const full = await ctx.board.find(board, id);
    const data = await ctx.board.runs(board, full, filter);
    const now = toUnix(systemClock.now());
    const lines = data.flatMap((run) => runLines(run, now, { summary: "→", error: "✖", max: 160 }));
    const text = data.length === 0 ? `(no runs yet for ${full})` : ["# OUTCOME PROFILE ELAPSED STARTED", ...lines].join("\n");
    return { text, data, warnings };
  },
});
