import * as z from "zod";
import { systemClock } from "../../base/time/clock.js";
import { toUnix } from "../../base/units.js";
import { defineCommand } from "../define.js";
import { boardFor, taskIdParam } from "../params/board-target.js";
import { checkRunFilter, runFilterParams } from "./params/run-filter.js";
import { showText } from "./render/task.js";

export default defineCommand({
  path: "kanban show",
  summary: "Show a task in detail.",
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
    const view = await ctx.board.show(board, await ctx.board.find(board, id), filter);
    const { failure_limit: _limit, ...data } = view;
    return { text: showText(view, toUnix(systemClock.now())), data, warnings };
  },
});
