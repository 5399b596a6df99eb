import * as z from "zod";
import { sessionOf } from "./chat/session.js";
import { defineCommand } from "./define.js";
import { startedTurn } from "./session/turn.js";

export default defineCommand({
  path: "retry",
  summary: "Hide the last exchange and send its message again.",
  topic: "sessions",
  params: z.object({}),
  surfaces: ["slash"],
  access: "write",
  busy: "idle",
  run: (_params, ctx) => startedTurn((onTurn) => ctx.chat.retry(sessionOf(ctx), onTurn), "The last message is sent again.", ctx),
});
