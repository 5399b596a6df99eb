import * as z from "zod";
import { defineCommand } from "../define.js";
import { requirePerson } from "../params/board-target.js";
import { passLines } from "./render/pass-text.js";

export default defineCommand({
  path: "kanban dispatch",
  summary: "Run one dispatcher pass.",
  topic: "kanban",
  params: z.object({
    dry_run: z.boolean().default(false).describe("only show what a pass would do"),
    max: z.number().int().min(0).optional().describe("maximum workers to start"),
    failure_limit: z
      .number()
      .int()
      .min(1)
      .optional()
      .describe("consecutive failures before a task is blocked, for this pass"),
  }),
  surfaces: ["cli", "slash", "rpc"],
  access: "admin",
  where: "root",
  run: async (params, ctx) => {
    await requirePerson(ctx);
    const { max, failure_limit: failureLimit } = params;
    const options = { ...(max === undefined ? {} : { max }), ...(failureLimit === undefined ? {} : { failureLimit }) };
    const data = await ctx.board.dispatch({ dryRun: params.dry_run, ...options });
    const orphans = data.spawned.length > 0 && !data.dry_run && (await ctx.owner.status()).kind === "command";
    const closed = (await ctx.board.boards()).flatMap(({ slug, error }) =>
      error === undefined ? [] : [`board ${slug} skipped: ${error}`],
    );
    const warnings = [
      ...closed,
      ...(orphans ? ["workers need a long-lived owner; start one with agent --headless"] : []),
    ];
    return { text: passLines(data).join("\n") || "Nothing to do.", data, warnings };
  },
});
