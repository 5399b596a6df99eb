import * as z from "zod";
import { AppError } from "../../../base/errors.js";
import { defineCommand } from "../../define.js";
import { directoryFrom, namedBoard, requirePerson } from "../../params/board-target.js";
import { workdirWarnings } from "../render/boards.js";

export default defineCommand({
  path: "kanban boards set",
  summary: "Change settings of a board. An empty value clears one.",
  topic: "kanban",
  params: z.object({
    slug: z.string().describe("board"),
    description: z.string().optional().describe("description"),
    icon: z.string().optional().describe("one character"),
    color: z.string().optional().describe("colour"),
    default_workdir: z.string().optional().describe("default directory of dir and worktree tasks"),
    orchestration: z
      .enum(["auto", "manual", "inherit", ""])
      .optional()
      .describe("automatic decomposition of triage tasks: auto, manual, inherit"),
    max_in_progress: z.string().optional().describe("maximum concurrent workers of this board"),
  }),
  positionals: ["slug"],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  repeats: true,
  where: "root",
  run: async ({ slug, description, icon, color, orchestration, ...given }, ctx) => {
    const by = await requirePerson(ctx);
    const default_workdir = directoryFrom(ctx, given.default_workdir);
    const changes = {
      description,
      icon,
      color,
      default_workdir,
      orchestration: orchestration === "inherit" || orchestration === "" ? null : orchestration,
      max_in_progress: capFrom(given.max_in_progress),
    };
    const named = Object.entries(changes).flatMap(([key, value]) => (value === undefined ? [] : [key]));
    if (named.length === 0)
      throw new AppError("E_USAGE", "pass at least one setting", { hint: "agent kanban boards set --help" });
    const target = await namedBoard(ctx, slug, "write");
    const { board, changed } = await ctx.board.setBoard(target.board, changes, by);
    const what = changed.length === 0 ? "unchanged" : `updated: ${changed.join(", ")}`;
    return {
      text: `Board '${board.slug}' ${what}.`,
      data: { board, changed },
      warnings: await workdirWarnings(default_workdir),
    };
  },
});

/** Empty clears the cap. @throws E_USAGE */
function capFrom(given: string | undefined): number | null | undefined {
  if (given === undefined) return undefined;
  if (given.trim() === "") return null;
  const cap = Number(given);
  if (!Number.isSafeInteger(cap) || cap < 1)
    throw new AppError("E_USAGE", `--max-in-progress must be a whole number of at least 1, not '${given}'`);
  return cap;
}
