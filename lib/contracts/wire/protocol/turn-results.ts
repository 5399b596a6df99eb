import * as z from "zod";
import {
  childInfoShape,
  goalRecordShape,
  postedJsonShape,
  processInfoShape,
  queueStateShape,
} from "../shapes/conversations.js";
import { listedRuleShape, openQuestionShape, permissionListShape, permissionTestShape } from "../shapes/questions.js";
import { message } from "../shapes/sessions.js";
import { epochMs, sessionId } from "../shapes/values.js";
import type { Results } from "./define.js";

const broughtServer = z.object({
  name: z.string(),
  problem: z.string().nullable().describe("why it is not used, or failed last"),
});

/** Answers of turns, their queue, questions, rules, and what works beside. */
export const TURN_RESULTS: Results = {
  "approval.respond": z.object({ ok: z.literal(true) }),
  "child.interrupt": z.object({ interrupted: z.boolean() }),
  "child.list": z.array(childInfoShape),
  "child.log": z.array(message),
  "clarify.respond": z.object({ ok: z.literal(true) }),
  "editor.attach": z.object({ ok: z.literal(true) }),
  "editor.detach": z.object({ detached: z.boolean() }),
  "editor.respond": z.object({ waiting: z.boolean().describe("false: the answer is no longer waited for") }),
  "editor.server_status": z.object({ servers: z.array(broughtServer) }),
  "editor.servers": z.object({ servers: z.array(broughtServer) }),
  "editor.take": z.object({
    requests: z.array(
      z.object({
        request: z.string(),
        session_id: sessionId,
        kind: z.enum(["read", "write"]),
        path: z.string().describe("as the editor knows the file"),
        chars: z.int().exactOptional().describe("length of the text to write, in UTF-16 code units"),
      }),
    ),
    withdrawn: z.array(z.string()).describe("requests whose answers are no longer waited for"),
  }),
  "editor.text": z.object({ text: z.string(), more: z.boolean() }),
  "form.respond": z.object({ ok: z.literal(true) }),
  "goal.clear": z.object({ cleared: z.boolean() }),
  "goal.get": goalRecordShape.nullable(),
  "goal.pause": goalRecordShape,
  "goal.resume": goalRecordShape,
  "goal.set": z.object({ goal: goalRecordShape, replaced: goalRecordShape.exactOptional() }),
  "goal.subgoal": goalRecordShape,
  "password.respond": z.object({ ok: z.literal(true) }),
  "permissions.add": listedRuleShape,
  "permissions.list": permissionListShape,
  "permissions.revoke": listedRuleShape,
  "permissions.test": permissionTestShape,
  "permissions.trust_project": z.object({ rules: z.array(z.string()) }),
  "permissions.untrust_project": z.object({ untrusted: z.boolean() }),
  "process.kill": z.object({ killed: z.boolean() }),
  "process.list": z.array(processInfoShape),
  "process.log": z.object({ output: z.string() }),
  "question.explain": permissionTestShape,
  "question.list": z.array(openQuestionShape),
  "question.touch": z.object({ expires_at: epochMs.nullable() }),
  "queue.add": queueStateShape,
  "queue.edit": queueStateShape,
  "queue.list": queueStateShape,
  "queue.move": queueStateShape,
  "queue.remove": queueStateShape,
  "queue.send_now": queueStateShape,
  "queue.steer": queueStateShape,
  "secret.respond": z.object({ ok: z.literal(true) }),
  "turn.interrupt": z.object({ interrupted: z.boolean() }),
  "turn.steer": postedJsonShape,
  "turn.submit": postedJsonShape,
};
