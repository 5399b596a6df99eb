import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { defineCommand } from "../define.js";
import { claimParams, objectFrom } from "../params/board-target.js";
import { runBatch } from "./params/batch.js";

export default defineCommand({
  path: "kanban complete",
  summary: "Mark tasks as done.",
  topic: "kanban",
  params: z.object({
    ids: z.array(z.string(), { error: "a task id is required" }).min(1, "a task id is required").describe("tasks"),
    result: z.string().optional().describe("short result"),
    summary: z.string().optional().describe("summary of the work; one task only"),
    metadata: z.string().optional().describe("JSON object for programs; one task only"),
    artifact: z
      .array(z.string())
      .default([])
      .describe("file to keep, relative to the workspace; one task only; repeatable"),
    outcome: z
      .enum(["accepted", "rejected"])
      .default("accepted")
      .describe("rejected: done, but child tasks keep waiting"),
    ...claimParams,
  }),
  positionals: ["ids..."],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  repeats: true,
  where: "root",
  run: async (params, ctx) => {
    const { summary, result, outcome, artifact } = params;
    const metadata = objectFrom("metadata", params.metadata);
    const single = summary !== undefined || metadata !== undefined || artifact.length > 0;
    if (params.ids.length > 1 && single)
      throw new AppError("E_USAGE", "--summary, --metadata and --artifact require a single task");
    const artifacts = artifact.length === 0 ? {} : { artifacts: artifact };
    return runBatch(ctx, {
      verb: "complete",
      ids: params.ids,
      caller: { run: params.run, token: params.token },
      each: async (board, id, by) => {
        const done = await ctx.board.complete(
          board,
          id,
          { summary, result, metadata, verdict: outcome, ...artifacts },
          by,
        );
        return { task: done.task, line: `Completed ${id}`, more: { run_id: done.run_id } };
      },
    });
  },
});
