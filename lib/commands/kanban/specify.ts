import * as z from "zod";
import { defineCommand } from "../define.js";
import { orchestrate, orchestrateParams, retitled } from "./params/orchestrate.js";

export default defineCommand({
  path: "kanban specify",
  summary: "Turn triage tasks into specifications with a model.",
  topic: "kanban",
  params: z.object(orchestrateParams),
  positionals: ["id"],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  where: "root",
  run: (params, ctx) =>
    orchestrate(ctx, params, {
      verb: "specify",
      count: "specified",
      each: (board, id, given, by) => ctx.board.specify(board, id, given, by),
      line: ({ task_id, new_title }) => `Specified ${task_id} → todo${retitled(new_title)}`,
      refusal: (task_id, reason) => ({ task_id, ok: false, reason, new_title: null }),
    }),
});
