import * as z from "zod";
import { defineCommand } from "../define.js";
import { personFor } from "../params/board-target.js";
import { passLines } from "./render/pass-text.js";

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
    const closed = (await ctx.board.boards()).flatMap(({ slug, error }) =>
      error === undefined ? [] : [`board ${slug} is left out: ${error}`],
    );
    const warnings = [
      ...closed,
      ...(orphans ? ["the workers need a long-lived owner to report to: start one with agent --headless"] : []),
    ];
    return { text: passLines(data).join("\n") || "Nothing to do.", data, warnings };
  },
});
