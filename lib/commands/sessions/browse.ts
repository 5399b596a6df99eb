import * as z from "zod";
import { toSessionJson } from "../../contracts/wire/shapes/session-json.js";
import { nearFirst } from "../conversation/session-rows.js";
import { defineCommand } from "../define.js";
import { sessionLine } from "../render/sessions.js";

export default defineCommand({
  path: "sessions browse",
  summary: "List the newest sessions of this directory, then of others, each with its resume command.",
  topic: "sessions",
  params: z.object({ limit: z.number().int().min(1).max(1_000).default(20).describe("maximum number of rows") }),
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async ({ limit }, ctx) => {
    const sessions = await nearFirst(ctx, limit);
    const lines = sessions.flatMap((session) => [sessionLine(session, ctx.cwd), `    agent --resume ${session.id}`]);
    return {
      text: lines.length === 0 ? "No sessions yet." : lines.join("\n"),
      data: sessions.map((one) => ({ ...toSessionJson(one), preview: one.preview })),
    };
  },
});
