import * as z from "zod";
import { FORM_ACTIONS } from "../../chat/form.js";
import { todoItem, todoSummary } from "../../chat/todo.js";
import {
  childInfoShape,
  compactionEndedShape,
  compactionUndoneShape,
  goalRecordShape,
  queueItemShape,
} from "../shapes/conversations.js";
import {
  approvalAskedShape,
  clarifyAskedShape,
  formAskedShape,
  hiddenAskedShape,
  questionOriginShape,
} from "../shapes/questions.js";
import { callStatus, instant, messagePicture, sentMessage } from "../shapes/sessions.js";
import { turnResultShape } from "../shapes/turns.js";
import { defineEvent, type EventForm } from "./define.js";

const text = z.string();
const count = z.number().min(0);
const call = { call_id: text, name: text };
const parent = { parent_call_id: text.optional().describe("for a call made by a tool itself") };
const choice = z.object({ provider: text, model: text });
const tokens = {
  input_tokens: count,
  output_tokens: count,
  cache_read_tokens: count,
  cache_write_tokens: count,
  reasoning_tokens: count,
};

/** A message as an event has it; of one that was deleted since, its id alone. */
const eventMessage = z.union([sentMessage, z.object({ message_id: z.int().describe("the message has been deleted") })]);

/** Durable events of conversations, from the store `sessions`. */
const DURABLE: readonly EventForm[] = [
  defineEvent(
    "session.info",
    true,
    "A conversation started or changed. `session.status` returns its branch and goal.",
    {
      id: text,
      lineage_root: text,
      title: text.nullable(),
      model: text,
      provider: text,
      cwd: text,
      message_count: count,
      tool_call_count: count,
      api_call_count: count,
      input_tokens: count.optional(),
      output_tokens: count.optional(),
      cache_read_tokens: count.optional(),
      cache_write_tokens: count.optional(),
      reasoning_tokens: count.optional(),
      last_prompt_tokens: count.optional(),
      estimated_cost_usd: count.nullish(),
      yolo: z.boolean().optional().describe("whether approvals are off; only when changed"),
      parent_session_id: text.nullish().describe("for a branch"),
    },
  ),
  defineEvent("turn.started", true, "A turn started; its user message is stored.", {
    turn_id: text,
    user_message_id: z.int(),
    source: text,
    request: text.optional().describe("id given in `turn.submit`"),
    mirrored: z.literal(true).optional().describe("repeats what was sent to the conversation's chat"),
  }),
  defineEvent("message.added", true, "A message was stored. Long content is cut, with `truncated`.", eventMessage),
  defineEvent("message.hidden", true, "A message was undone.", eventMessage),
  defineEvent("message.restored", true, "An undone message was restored.", eventMessage),
  defineEvent("tool.started", true, "A tool call started.", {
    ...call,
    args: text.describe("JSON, cut at 30 kB"),
    preview: text,
    index: count,
    of: count,
    ...parent,
  }),
  defineEvent("tool.ended", true, "A tool call ended; its result is stored.", {
    ...call,
    status: callStatus,
    duration_ms: count,
    preview: text,
    exit_code: z.number().nullable().optional(),
    pictures: z.array(messagePicture).readonly().optional().describe("what it showed"),
    ...parent,
    result_message_id: z.int().optional().describe("the stored result; absent for a call made by a tool itself"),
  }),
  defineEvent("usage", true, "Tokens and cost of one request, and of the conversation so far.", {
    ...tokens,
    total_tokens: count,
    last_prompt_tokens: count,
    estimated_cost_usd: count.nullable(),
    cost_status: text,
    session: z.object({ api_calls: count, ...tokens, total_tokens: count, estimated_cost_usd: count.nullable() }),
  }),
  defineEvent("turn.ended", true, "A turn ended, with its result.", turnResultShape),
  defineEvent("fallback", true, "Another model answers from now on.", { from: choice, to: choice, cause: text }),
  defineEvent("queue.changed", true, "The message queue changed.", {
    items: z.array(queueItemShape),
    paused: z.boolean().describe("the queue is paused"),
  }),
  defineEvent("steer.accepted", true, "A steering message was stored.", { text }),
  defineEvent("steer.delivered", true, "The model received a steering message with a tool result.", { text }),
  defineEvent(
    "goal.changed",
    true,
    "The goal of the conversation; only `goal: null` when cleared.",
    z.union([goalRecordShape, z.object({ goal: z.null() })]),
  ),
  defineEvent("todo.changed", true, "The model's full todo list.", {
    items: z.array(todoItem),
    summary: todoSummary,
  }),
  defineEvent("compaction.started", true, "The conversation is being compacted.", {
    reason: compactionEndedShape.shape.reason,
    tokens: count,
    trigger: count,
    window: count,
    messages: count,
  }),
  defineEvent(
    "compaction.ended",
    true,
    "The conversation continues under `new_session_id`, or as it was where that is null.",
    compactionEndedShape,
  ),
  defineEvent("compaction.undone", true, "The conversation continues in the segment before.", compactionUndoneShape),
  defineEvent("child.started", true, "A child conversation began.", childInfoShape),
  defineEvent("child.ended", true, "A child conversation ended.", childInfoShape),
  defineEvent("process.started", true, "A background process began.", { id: text, command: text, pid: z.int() }),
  defineEvent("process.ended", true, "A background process ended.", {
    id: text,
    command: text,
    exit_code: z.number().nullable(),
    reason: text,
  }),
  defineEvent("checkpoint.made", true, "A snapshot of a directory was made.", {
    id: text,
    directory: text,
    reason: text,
    counts: z.object({ files: count }),
  }),
  defineEvent("checkpoint.restored", true, "The files of a directory were restored.", {
    id: text,
    directory: text,
    reason: text,
    counts: z.object({ restored: count, removed: count, skipped: count, failed: count }),
  }),
];

const request = { request: text.describe("id for the answer") };
const asked = {
  ...request,
  expires_at: z.number().nullable().describe("Unix milliseconds; null: no timeout"),
  origin: questionOriginShape,
};
const over = {
  ...request,
  by: text.describe("who answered"),
  why: text.optional().describe("why the question was closed without an answer"),
};

const QUESTIONS: readonly EventForm[] = [
  defineEvent("approval.requested", true, "A call waits for approval: `approval.respond {request, answer}`.", {
    ...asked,
    ...approvalAskedShape.shape,
  }),
  defineEvent("clarify.requested", true, "The model asks: `clarify.respond {request, answer}`.", {
    ...asked,
    ...clarifyAskedShape.shape,
  }),
  defineEvent("form.requested", true, "A tool or MCP server asks: `form.respond {request, action, content}`.", {
    ...asked,
    ...formAskedShape.shape,
  }),
  ...["password", "secret"].map((kind) =>
    defineEvent(`${kind}.requested`, true, `A secret value is requested: \`${kind}.respond {request, value}\`.`, {
      ...asked,
      ...hiddenAskedShape.shape,
    }),
  ),
  defineEvent("approval.resolved", true, "The approval was answered or closed.", {
    ...over,
    answer: text.describe("one of the options; `deny` if unanswered"),
    text: text.optional(),
  }),
  defineEvent("clarify.resolved", true, "The question was answered or closed.", {
    ...over,
    answer: text.nullable(),
  }),
  defineEvent("form.resolved", true, "The form was answered or closed. What was filled in goes to the asker only.", {
    ...over,
    answer: z.enum(FORM_ACTIONS).nullable(),
  }),
  ...["password", "secret"].map((kind) =>
    defineEvent(`${kind}.resolved`, true, "The value was given, or the request was closed.", over),
  ),
];

const PHASES = [
  "idle",
  "waiting_model",
  "thinking",
  "writing",
  "tool",
  "approval",
  "question",
  "retry",
  "compacting",
  "interrupting",
] as const;

/** Events of the topic `session:<id>` that describe the present. */
const PRESENT: readonly EventForm[] = [
  defineEvent("turn.phase", false, "What the turn is doing; `idle` if none is running.", {
    phase: z.enum(PHASES),
    detail: text.describe("running tool, what a program says of its state, or empty"),
    since: instant,
    program: text.optional().describe("program of another maker that works the turn"),
  }),
  defineEvent("text.delta", false, "More of the answer. `offset`: characters before it.", { text, offset: count }),
  defineEvent("text.reset", false, "The partial answer is discarded: the model is asked again.", {}),
  defineEvent("reasoning.delta", false, "More reasoning.", { text }),
  defineEvent("tool.generating", false, "The model is writing the arguments of a call.", { name: text }),
  defineEvent("tool.progress", false, "More output of a running call.", { call_id: text, text }),
  defineEvent("retry", false, "The request is retried after a failure.", {
    attempt: count,
    of: count,
    cause: text,
    wait_ms: count,
    class: text,
  }),
  defineEvent("child.progress", false, "Progress of a child conversation.", childInfoShape),
];

/** Everything that conversations send. A notice is durable when it belongs to a turn, else of the present. */
export const SESSION_EVENTS: readonly EventForm[] = [
  ...DURABLE,
  ...QUESTIONS,
  ...PRESENT,
  defineEvent("notice", true, "One sentence for the user.", {
    level: z.enum(["info", "warning", "error"]),
    text,
    code: text.optional(),
  }),
];
