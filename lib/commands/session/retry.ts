import * as z from "zod";
import { sessionOf } from "../conversation/conversation.js";
import { startedTurn } from "../conversation/start-turn.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "retry",
  summary: "Remove the last exchange and send its message again.",
  topic: "sessions",
  params: z.object({}),
  surfaces: ["slash"],
  access: "write",
  busy: "idle",
  run: (_params, ctx) =>
    startedTurn((onTurn) => ctx.chat.retry(sessionOf(ctx), onTurn), "Sending the last message again.", ctx),
});
