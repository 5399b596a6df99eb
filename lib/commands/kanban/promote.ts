import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { type CommandContext, type CommandResult, defineCommand } from "../define.js";
import { reasonFrom, refuseEmpty, taskIdParam } from "../params/board-target.js";
import { runBatch } from "./params/batch.js";

export default defineCommand({
  path: "kanban promote",
  summary: "Make waiting tasks ready.",
  topic: "kanban",
  params: z.object({
    id: taskIdParam,
    reason: z.array(z.string()).default([]).describe("reason, stored in the event"),
    ids: z.array(z.string()).default([]).describe("further task ids"),
    children: z.boolean().default(false).describe("release the held children of a decomposed task instead"),
    force: z.boolean().default(false).describe("ignore unfinished parents"),
    dry_run: z.boolean().default(false).describe("only show what would happen"),
  }),
  positionals: ["id", "reason..."],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  repeats: true,
  where: "root",
  run: async (params, ctx) => {
    const reason = reasonFrom(params.reason);
    refuseEmpty("ids", params.ids);
    const { force, dry_run: dryRun } = params;
    if (params.children && force) throw new AppError("E_USAGE", "--children and --force exclude each other");
    if (params.children) return releaseAll([params.id, ...params.ids], { reason, dryRun }, ctx);
    return runBatch(ctx, {
      verb: "promote",
      ids: [params.id, ...params.ids],
      each: async (board, id, by) => {
        const { task, promoted, forced } = await ctx.board.promote(board, id, { reason, force, dryRun }, by);
        const line = dryRun ? `Would promote ${id} -> ready (dry)` : `Promoted ${id} -> ready${why(reason)}`;
        return { task, line, more: { promoted, dry_run: dryRun, forced, reason: reason ?? null } };
      },
    });
  },
});

function releaseAll(
  ids: readonly string[],
  { reason, dryRun }: { reason: string | undefined; dryRun: boolean },
  ctx: CommandContext,
): Promise<CommandResult> {
  return runBatch(ctx, {
    verb: "promote",
    ids,
    each: async (board, id, by) => {
      const { task, released, promoted } = await ctx.board.promoteChildren(board, id, { reason, dryRun }, by);
      const waiting = released.filter((child) => !promoted.includes(child));
      const lines = [
        ...promoted.map((child) =>
          dryRun ? `Would promote ${child} -> ready (dry)` : `Promoted ${child} -> ready${why(reason)}`,
        ),
        ...waiting.map(
          (child) =>
            `${dryRun ? "Would release" : "Released"} ${child}${dryRun ? " (dry)" : ""}: it waits for its parents`,
        ),
      ];
      const line = lines.length === 0 ? `${id} has no held children` : lines.join("\n");
      const did = promoted.length > 0;
      return {
        task,
        line,
        more: {
          promoted: did,
          dry_run: dryRun,
          forced: false,
          reason: reason ?? null,
          released,
          promoted_ids: promoted,
        },
      };
    },
  });
}

const why = (reason: string | undefined): string => (reason === undefined ? "" : `: ${reason}`);
