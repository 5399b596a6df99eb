import * as z from "zod";
import { toSessionJson } from "../../contracts/wire/shapes/session-json.js";
import { defineCommand } from "../define.js";
import { count } from "../render/change-summary.js";
import { sessionLine } from "../render/sessions.js";

export default defineCommand({
  path: "sessions prune",
  summary: "Delete inactive ended sessions. Without -y, only list them.",
  topic: "sessions",
  params: z.object({
    older_than: z.number().int().min(1).max(100_000).default(90).describe("days without activity"),
    source: z.string().optional().describe("limit to sessions from: cli, workspace, worker, cron, ..."),
    yes: z.boolean().default(false).describe("delete them permanently"),
  }),
  short: { yes: "y" },
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  run: async ({ older_than, source, yes }, ctx) => {
    const found = await ctx.chat.prune({ days: older_than, ...(source === undefined ? {} : { source }) }, !yes);
    const data = { deleted: yes ? found.length : 0, sessions: found.map(toSessionJson) };
    if (found.length === 0)
      return { text: `No ended session has been inactive for ${count(older_than, "day")}.`, data };
    const last = yes
      ? `Deleted ${count(found.length, "session")}.`
      : `${count(found.length, "session")} would be deleted permanently; -y deletes them.`;
    return { text: [...found.map((session) => sessionLine(session, ctx.cwd)), last].join("\n"), data };
  },
});
