import * as z from "zod";
import { defineCommand } from "../define.js";
import { boardFor, requirePerson } from "../params/board-target.js";
import { checksText } from "../render/checks.js";

export default defineCommand({
  path: "kanban doctor",
  summary: "Check a board: store, invariants, dispatcher, workers, files.",
  topic: "kanban",
  params: z.object({
    fix: z.boolean().default(false).describe("repair problems without losing data, and report the repairs"),
    deep: z
      .boolean()
      .default(false)
      .describe("check all events, runs and attachments, not only the newest 5,000 of each"),
  }),
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  writesWith: "--fix",
  where: "root",
  run: async ({ fix, deep }, ctx) => {
    if (fix) await requirePerson(ctx);
    const { board, warnings } = await boardFor(ctx, fix ? "write" : "read");
    const { ok, checks } = await ctx.board.doctor(board, { fix, deep });
    // Every check has its four keys: readers of the JSON need not look whether one is there.
    const data = { ok, checks: checks.map((check) => ({ ...check, fix: check.fix ?? null })) };
    return { text: checksText(checks), data, warnings, exit: ok ? 0 : 1 };
  },
});
