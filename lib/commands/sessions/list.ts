import * as z from "zod";
import { listSessionRows } from "../conversation/session-rows.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "sessions list",
  aliases: ["sessions"],
  summary: "List the sessions of this directory, newest activity first.",
  topic: "sessions",
  params: z.object({
    source: z.string().optional().describe("limit to sessions from: cli, workspace, worker, cron, ..."),
    all_dirs: z.boolean().default(false).describe("include all directories"),
    archived: z.boolean().default(false).describe("list archived sessions instead"),
    words: z.array(z.string()).default([]).describe("words in the title or first message"),
    limit: z.number().int().min(1).max(1_000).default(20).describe("maximum number of rows"),
  }),
  positionals: ["words..."],
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: ({ source, all_dirs, archived, limit, words }, ctx) => {
    const filter = {
      archived,
      limit,
      ...(source === undefined ? {} : { source }),
      ...(all_dirs ? {} : { cwd: ctx.cwd }),
    };
    return listSessionRows(filter, ctx, words.join(" "));
  },
});
