import * as z from "zod";
import type { DecomposeOutcome } from "../../contracts/board/orchestration.js";
import { defineCommand } from "../define.js";
import { orchestrate, orchestrateParams, retitled } from "./params/orchestrate.js";

export default defineCommand({
  path: "kanban decompose",
  summary: "Split triage tasks into task graphs with a model.",
  topic: "kanban",
  params: z.object(orchestrateParams),
  positionals: ["id"],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  where: "root",
  run: (params, ctx) =>
    orchestrate<DecomposeOutcome>(ctx, params, {
      verb: "decompose",
      count: "decomposed",
      each: (board, id, given, by) => ctx.board.decompose(board, id, given, by),
      line,
      refusal: (task_id, reason) => ({ task_id, ok: false, reason, new_title: null, fanout: false, child_ids: null }),
    }),
});

function line({ task_id, new_title, child_ids }: DecomposeOutcome): string {
  if (child_ids === null) return `Specified ${task_id} → todo (no fanout)${retitled(new_title)}`;
  return `Decomposed ${task_id} → ${child_ids.length} children (${child_ids.join(", ")}); root promoted to todo`;
}
