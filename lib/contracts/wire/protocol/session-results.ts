import * as z from "zod";
import {
  compactionEndedShape,
  compactionUndoneShape,
  deletedSessionShape,
  pagePlaceShape,
  queueStateShape,
  redoneShape,
  sessionPageShape,
  sessionRowShape,
  sessionStatusShape,
  undoneShape,
} from "../shapes/conversations.js";
import { openQuestionShape } from "../shapes/questions.js";
import { listedSession, message, searchHit, session } from "../shapes/sessions.js";
import { contextReportShape, costReportShape } from "../shapes/usage.js";
import { epochMs, sessionId, turnId } from "../shapes/values.js";
import type { Results } from "./define.js";

/** Answers of `session.*`. */
export const SESSION_RESULTS: Results = {
  "session.archive": session,
  "session.attach": z.object({
    turn_id: turnId.nullable(),
    turn_started_at: epochMs.nullable(),
    phase: z.string(),
    detail: z.string(),
    since: epochMs,
    program: z.string().exactOptional(),
    streamed: z.string(),
    output: z.record(z.string(), z.string()),
    queue: queueStateShape,
    cut_off: z.boolean(),
    seq: z.number(),
    questions: z.array(openQuestionShape),
    yolo: z.boolean(),
    events: z
      .array(
        z.object({
          session_id: sessionId,
          turn_id: turnId.exactOptional(),
          event: z.string(),
          seq: z.number().exactOptional(),
          data: z.record(z.string(), z.unknown()),
          at: z.string(),
        }),
      )
      .exactOptional(),
    session: session,
  }),
  "session.close": z.object({ kept: z.boolean() }),
  "session.compact": compactionEndedShape,
  "session.compact_undo": compactionUndoneShape,
  "session.context": contextReportShape,
  "session.cost": costReportShape,
  "session.create": session,
  "session.delete": deletedSessionShape,
  "session.detach": z.object({ detached: z.boolean() }),
  "session.export": z.object({ format: z.enum(["md", "json", "jsonl"]), text: z.string() }),
  "session.find": z.object({ found: z.array(pagePlaceShape) }),
  "session.fork": session,
  "session.get": session.nullable(),
  "session.list": z.array(listedSession),
  "session.message": message.nullable(),
  "session.messages": z.array(message),
  "session.overview": z.array(sessionRowShape),
  "session.page": sessionPageShape,
  "session.pin": z.object({ pinned: z.boolean() }),
  "session.redo": redoneShape,
  "session.rename": session,
  "session.resume": session,
  "session.retry": z.object({ turn_id: z.string() }),
  "session.search": z.array(searchHit),
  "session.status": sessionStatusShape,
  "session.unarchive": session,
  "session.undo": undoneShape,
  "session.visit": session,
};
