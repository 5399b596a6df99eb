import * as z from "zod";
import { systemClock } from "../base/clock.js";
import { AppError } from "../base/errors.js";
import { toUnix } from "../base/units.js";
import { defineCommand } from "./define.js";
import { showText } from "./kanban/render.js";
import { boardFor, taskId } from "./kanban/target.js";

export default defineCommand({
  path: "kanban show",
  summary: "Show everything about one task.",
  topic: "kanban",
  params: z.object({
    id: taskId,
    state_type: z.enum(["status", "outcome"]).optional().describe("filter runs by this; with --state-name"),
    state_name: z.string().optional().describe("value to filter runs by; with --state-type"),
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
    const view = await ctx.board.show(board, await ctx.board.find(board, id), filter);
    const { failure_limit: _limit, ...data } = view;
    return { text: showText(view, toUnix(systemClock.now())), data, warnings };
  },
});
