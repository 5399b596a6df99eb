import * as z from "zod";
import { sessionOf } from "../conversation/conversation.js";
import { freshSession, openedSessionResult } from "../conversation/start-turn.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "archive",
  summary: "Archive this conversation and start a new one.",
  topic: "sessions",
  params: z.object({}),
  surfaces: ["slash"],
  access: "write",
  whole: true,
  busy: "idle",
  run: async (_params, ctx) => {
    const archived = await ctx.chat.archive(sessionOf(ctx), true);
    await ctx.chat.leave(archived.id, "new_session");
    const session = await freshSession(ctx);
    return openedSessionResult(
      session,
      `Archived ${archived.id}; agent sessions unarchive ${archived.id} restores it. New conversation ${session.id}.`,
    );
  },
});
