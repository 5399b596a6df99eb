import * as z from "zod";
import { systemClock } from "../../base/time/clock.js";
import { toUnix } from "../../base/units.js";
import { defineCommand } from "../define.js";
import { boardFor, taskIdParam } from "../params/board-target.js";
import { checkRunFilter, runFilterParams } from "./params/run-filter.js";
import { runLines } from "./render/task.js";

export default defineCommand({
  path: "kanban runs",
  summary: "List the runs of a task.",
  topic: "kanban",
  params: z.object({
    id: taskIdParam,
    ...runFilterParams,
  }),
  positionals: ["id"],
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  where: "root",
  run: async ({ id, ...given }, ctx) => {
    const filter = checkRunFilter(given);
    const { board, warnings } = await boardFor(ctx, "read");
    const full = await ctx.board.find(board, id);
    const data = await ctx.board.runs(board, full, filter);
    const now = toUnix(systemClock.now());
    const lines = data.flatMap((run) => runLines(run, now, { summary: "→", error: "✖", max: 160 }));
    const text =
      data.length === 0 ? `(no runs yet for ${full})` : ["# OUTCOME PROFILE ELAPSED STARTED", ...lines].join("\n");
    return { text, data, warnings };
  },
});
