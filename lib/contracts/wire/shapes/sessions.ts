import * as z from "zod";

const text = z.string().nullable();
const count = z.int();

/** An instant as everything for machines has it. */
export const instant = z.iso.datetime().describe("ISO 8601, UTC");

const sessionShape = z.object({
  session_id: z.string(),
  id: z.string().describe("the same as session_id"),
  source: z.string().describe("cli, workspace, worker, cron, subagent, or the tag of a platform"),
  profile: z.string(),
  lineage_root: z.string().describe("first session of the conversation; compaction continues it under further ids"),
  parent_session_id: text,
  relation: text.describe("compaction, branch, delegate or background"),
  model: z.string(),
  provider: z.string(),
  title: text,
  title_source: z.enum(["auto", "user"]).nullable(),
  cwd: z.string(),
  started_at: instant,
  last_active_at: instant,
  ended_at: instant.nullable(),
  end_reason: text,
  message_count: count,
  tool_call_count: count,
  api_call_count: count,
  input_tokens: count,
  output_tokens: count,
  cache_read_tokens: count,
  cache_write_tokens: count,
  reasoning_tokens: count,
  last_prompt_tokens: count,
  estimated_cost_usd: z.number().nullable().describe("null: price unknown"),
  archived: z.boolean(),
  ephemeral: z.boolean(),
});

/** A conversation, as `agent sessions list --json`, REST and `session.*` show it. */
export const session = sessionShape.meta({ id: "Session" });

/** A conversation of a list, with the beginning of its first message. */
export const listedSession = sessionShape.extend({ preview: z.string() }).meta({ id: "ListedSession" });

const call = z
  .object({
    id: z.string(),
    name: z.string(),
    arguments: z.string().describe("JSON text as the model wrote it"),
    extra: z.record(z.string(), z.unknown()).exactOptional(),
  })
  .meta({ id: "ToolCall" });

/** How a call of a tool ended. */
export const callStatus = z.enum(["ok", "error", "denied", "blocked", "cancelled", "interrupted", "skipped"]);

/** A picture of a message or a result. */
export const messagePicture = z.object({
  path: z.string(),
  name: z.string(),
  width: z.number().exactOptional().describe("in pixels"),
  height: z.number().exactOptional(),
  question: z.string().exactOptional().describe("what the call asked about it"),
  unsent: z.literal(true).exactOptional().describe("models are not sent it"),
});

const messageShape = z.object({
  id: count.describe("increasing, never reused"),
  session_id: z.string(),
  turn_id: z.string(),
  ordinal: count.describe("position in the session"),
  created_at: instant,
  active: z.boolean().describe("false: undone"),
  role: z.enum(["system", "user", "assistant", "tool"]),
  content: z.string(),
  kind: z.enum(["summary", "note"]).exactOptional().describe("written by a compaction"),
  tool_calls: z.array(call).readonly().exactOptional(),
  tool_call_id: z.string().exactOptional(),
  tool_name: z.string().exactOptional(),
  status: callStatus.exactOptional(),
  duration_ms: z.number().exactOptional(),
  finish_reason: z.string().exactOptional(),
  reasoning: z.string().exactOptional(),
  copied_from: count.exactOptional().describe("message of an earlier segment that this one repeats"),
  pictures: z.array(messagePicture).readonly().exactOptional(),
});

/** A stored message: pages, exports and events have it in this form. */
export const message = messageShape.meta({ id: "Message" });

/** A message of an event: long content is cut. */
export const sentMessage = messageShape
  .extend({
    truncated: z.literal(true).exactOptional().describe("the content is truncated"),
  })
  .meta({ id: "SentMessage" });

/** A message that a search has found. */
export const searchHit = z
  .object({
    session_id: z.string(),
    lineage_root: z.string(),
    message_id: count,
    ordinal: count,
    role: z.enum(["system", "user", "assistant", "tool"]),
    snippet: z.string().describe("matches are enclosed in >>> and <<<"),
    at: instant,
  })
  .meta({ id: "SearchHit" });

/** What is stored of all sessions. */
export const sessionStats = z.object({
  lineages: count,
  sessions: count,
  archived: count,
  messages: count,
  hidden: count,
  tool_calls: count,
  input_tokens: count,
  output_tokens: count,
  bytes: count,
  by_source: z.record(z.string(), count),
  oldest: instant.nullable(),
  newest: instant.nullable(),
});

/** A session record for machines. The system prompt is left out. */
export type SessionJson = Readonly<z.output<typeof session>>;
/** A session of a list for machines. */
export type ListedSessionJson = Readonly<z.output<typeof listedSession>>;
/** A stored message for machines. What only its provider may see is left out. */
export type MessageJson = Readonly<z.output<typeof sentMessage>>;
