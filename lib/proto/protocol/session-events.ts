import * as z from "zod";
import { defineEvent, type EventForm } from "./define.js";

const text = z.string();
const count = z.number().min(0);
const stored = { message_id: z.int().optional(), id: z.int().optional() };
const call = { call_id: text, name: text };
const choice = z.looseObject({ provider: text, model: text });

const child = {
  ...{ id: text.describe("session of the child"), parent_session_id: text, goal: text, role: text, status: text },
  ...{ tokens: z.looseObject({ input: count, output: count }), tool: text.nullable(), duration_ms: count },
};

/** Result of a turn. */
const result = {
  ...{ final_response: text, reasoning: text, session_id: text, lineage_root: text, turn_id: text },
  ...{ completed: z.boolean(), failed: z.boolean(), partial: z.boolean(), interrupted: z.boolean() },
  ...{ exit_reason: text, api_calls: count, tool_calls: count, model: text, provider: text, base_url: text },
  ...{ denied: z.array(z.looseObject({})), files_changed: z.array(text), files_not_changed: z.array(z.looseObject({})) },
  ...{ input_tokens: count, output_tokens: count, cache_read_tokens: count, cache_write_tokens: count },
  ...{ reasoning_tokens: count, total_tokens: count, last_prompt_tokens: count, context_window: count, duration_ms: count },
  error: z.looseObject({ class: text, message: text, hint: text }).optional(),
};

const tokens = { input_tokens: count, output_tokens: count, cache_read_tokens: count, cache_write_tokens: count, reasoning_tokens: count };

/** Durable events of conversations, from the store `sessions`. */
const DURABLE: readonly EventForm[] = [
  defineEvent("session.info", true, "What is known of a conversation: it began or changed. `session.status` answers its branch and goal.", {
    ...{ id: text, lineage_root: text, title: text.nullable(), model: text, provider: text, cwd: text },
    ...{ message_count: count, tool_call_count: count, api_call_count: count },
    input_tokens: count.optional(),
    output_tokens: count.optional(),
    cache_read_tokens: count.optional(),
    cache_write_tokens: count.optional(),
    reasoning_tokens: count.optional(),
    last_prompt_tokens: count.optional(),
    estimated_cost_usd: count.nullish(),
    yolo: z.boolean().optional().describe("whether approvals are off; only where that has changed"),
    parent_session_id: text.nullish().describe("of a branch"),
  }),
  defineEvent("turn.started", true, "A turn began; its user message is stored.", {
    ...{ turn_id: text, user_message_id: z.int(), source: text },
    request: text.optional().describe("as `turn.submit` named it"),
    mirrored: z.literal(true).optional().describe("it repeats what the chat of the conversation was sent"),
  }),
  defineEvent("message.added", true, "A message is stored. Long content is cut, with `truncated`.", {
    ...stored,
    role: z.enum(["user", "assistant", "tool", "system"]).optional(),
    content: text.optional().describe("may be empty, also with the finish reason `interrupted`"),
    truncated: z.boolean().optional(),
  }),
  defineEvent("message.hidden", true, "A message was undone.", stored),
  defineEvent("message.restored", true, "A message that was undone is back.", stored),
  defineEvent("tool.started", true, "A call of a tool began.", {
    ...{ ...call, args: text.describe("JSON, cut at 30 kB"), preview: text, index: count, of: count },
    parent_call_id: text.optional(),
  }),
  defineEvent("tool.ended", true, "A call of a tool ended; its result is stored.", {
    ...{
      ...call,
      status: text.describe("ok, error, denied, blocked, cancelled, interrupted or skipped"),
      duration_ms: count,
      preview: text,
    },
    ...{ exit_code: z.number().nullable().optional(), result_message_id: z.int().optional(), parent_call_id: text.optional() },
  }),
  defineEvent("usage", true, "Tokens and cost of one request, and of the conversation so far.", {
    ...{ ...tokens, total_tokens: count, last_prompt_tokens: count, estimated_cost_usd: count.nullable(), cost_status: text },
    session: z.looseObject({ api_calls: count, ...tokens, total_tokens: count, estimated_cost_usd: count.nullable() }),
  }),
  defineEvent("turn.ended", true, "A turn is over, with its result.", result),
  defineEvent("fallback", true, "Another model answers from here on.", { from: choice, to: choice, cause: text }),
  defineEvent("queue.changed", true, "Messages that wait for the running turn.", {
    items: z.array(z.looseObject({ id: text, text })),
    paused: z.unknown().optional(),
  }),
  defineEvent("steer.accepted", true, "Words for the running turn are stored.", { text }),
  defineEvent("steer.delivered", true, "The model has the words with a tool result.", { text }),
  defineEvent("goal.changed", true, "The goal of the conversation; `goal` is null when it was cleared.", { goal: text.nullable() }),
  defineEvent("compaction.started", true, "The conversation is being compacted.", {
    ...{ reason: text, tokens: count, trigger: count, window: count, messages: count },
  }),
  defineEvent("compaction.ended", true, "The conversation continues under `new_session_id`, or as it was where that is null.", {
    ...{ ok: z.boolean(), reason: text, tokens_before: count, tokens_after: count, new_session_id: text.nullable(), duration_ms: count },
  }),
  defineEvent("compaction.undone", true, "The conversation continues in the segment before.", { new_session_id: text }),
  defineEvent("child.started", true, "A child conversation began.", child),
  defineEvent("child.ended", true, "A child conversation ended.", child),
  defineEvent("process.started", true, "A background process began.", { id: text, command: text, pid: z.int() }),
  defineEvent("process.ended", true, "A background process ended.", {
    id: text,
    command: text,
    exit_code: z.number().nullable(),
    reason: text,
  }),
  defineEvent("checkpoint.made", true, "The files of a directory are kept.", { id: text, directory: text, reason: text }),
  defineEvent("checkpoint.restored", true, "The files of a directory are back.", { id: text, directory: text, reason: text }),
];

const request = { request: text.describe("answer it by this name") };
const expires = { expires_at: z.number().nullable().optional().describe("Unix milliseconds") };

const QUESTIONS: readonly EventForm[] = [
  defineEvent("approval.requested", true, "A call waits for approval: `approval.respond {request, answer}`.", {
    ...{ ...request, kind: text, tool: text, command: text, cwd: text, options: z.array(text), ...expires },
  }),
  defineEvent("clarify.requested", true, "The model asks: `clarify.respond {request, answer}`.", {
    ...{ ...request, question: text, choices: z.array(text), ...expires },
  }),
  ...["password", "secret"].map((kind) => defineEvent(`${kind}.requested`, true, "A value is asked for that is not stored.", request)),
  ...["approval", "clarify", "password", "secret"].map((kind) =>
    defineEvent(`${kind}.resolved`, true, "The question is answered, or no longer asked.", request),
  ),
];

/** Events of the topic `session:<id>` that describe the present. */
const PRESENT: readonly EventForm[] = [
  defineEvent("turn.phase", false, "What the turn does now; `idle` when none runs.", {
    phase: text,
    detail: text.optional(),
    since: z.union([count, text]).optional(),
  }),
  defineEvent("text.delta", false, "More of the answer. `offset`: characters before it.", { text, offset: count.optional() }),
  defineEvent("text.reset", false, "The partial answer is void: the model is asked again.", {}),
  defineEvent("reasoning.delta", false, "More of what the model thinks.", { text }),
  defineEvent("tool.generating", false, "The model writes the arguments of a call.", { name: text }),
  defineEvent("tool.progress", false, "More output of a running call.", { call_id: text, text }),
  defineEvent("retry", false, "The request is sent again after a failure.", {
    attempt: count,
    of: count,
    cause: text,
    wait_ms: count.optional(),
    class: text.optional(),
  }),
  defineEvent("child.progress", false, "What a child conversation does now.", child),
];

/** Everything that conversations send. A notice is durable when it belongs to a turn, else of the present. */
export const SESSION_EVENTS: readonly EventForm[] = [
  ...DURABLE,
  ...QUESTIONS,
  ...PRESENT,
  defineEvent("notice", true, "One sentence for people.", { level: z.enum(["info", "warning", "error"]), text, code: text.optional() }),
];
