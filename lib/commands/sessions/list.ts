import * as z from "zod";
import { listSessionRows } from "../conversation/session-rows.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "sessions list",
  aliases: ["sessions"],
  summary: "List the sessions of this directory, newest activity first.",
  topic: "sessions",
  params: z.object({
    source: z.string().optional().describe("only sessions that began there: cli, workspace, worker, cron, ..."),
    all_dirs: z.boolean().default(false).describe("sessions of every directory"),
    archived: z.boolean().default(false).describe("archived sessions instead of the others"),
    words: z.array(z.string()).default([]).describe("words of the title or of the first message"),
    limit: z.number().int().min(1).max(1_000).default(20).describe("how many"),
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
