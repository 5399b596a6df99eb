import * as z from "zod";
import { toSessionJson } from "../proto/session-json.js";
import { defineCommand } from "./define.js";
import { sessionLine } from "./render/sessions.js";

export default defineCommand({
  path: "sessions list",
  aliases: ["sessions"],
  summary: "List sessions, newest activity first.",
  topic: "sessions",
  params: z.object({
    source: z.string().optional().describe("only sessions that began there: cli, workspace, worker, cron, ..."),
    here: z.boolean().default(false).describe("only sessions of this directory"),
    all_dirs: z.boolean().default(false).describe("sessions of every directory; this is the default"),
    archived: z.boolean().default(false).describe("archived sessions instead of the others"),
    limit: z.number().int().min(1).max(1_000).default(20).describe("how many"),
  }),
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async ({ source, here, all_dirs, archived, limit }, ctx) => {
    const filter = { archived, limit, ...(source === undefined ? {} : { source }), ...(here && !all_dirs ? { cwd: ctx.cwd } : {}) };
    const sessions = await ctx.chat.list(filter);
    return {
      text: sessions.length === 0 ? 'No sessions yet. agent -z "PROMPT" makes one.' : sessions.map(sessionLine).join("\n"),
      data: sessions.map((session) => ({ ...toSessionJson(session), preview: session.preview })),
    };
  },
});
