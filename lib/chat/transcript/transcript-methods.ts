import * as z from "zod";
import type { Store } from "../../../storage/store.js";
import * as sessions from "../../../storage/tables/sessions/records.js";
import { AppError } from "../../base/errors.js";
import type { Clock } from "../../base/time/clock.js";
import type { SessionId, TurnId } from "../../base/units.js";
import type { MessageRecord, SessionRecord, Transcript, TurnResult } from "../../contracts/chat/chat.js";
import type { NextSegment, PreviousSegment } from "../../contracts/chat/compact.js";
import type { TranscriptSegment } from "./segment.js";
import { noSession } from "./session-record.js";
import { findStoredBefore, type StoredBefore } from "./stored-before.js";
import { openTranscript } from "./transcript.js";

const session = z.string().transform((id) => id as SessionId); // proved by the lookup that follows
const turn = z.string().transform((id) => id as TurnId); // proved by the transaction that uses it
const optional = <T extends z.ZodType>(schema: T) => z.exactOptional(schema);
const toolCall = z.object({
  id: z.string(),
  name: z.string(),
  arguments: z.string(),
  extra: optional(z.record(z.string(), z.unknown())),
});
const items = z.array(z.record(z.string(), z.unknown()));
const replay = z.object({
  from: z.string(),
  reasoning_details: optional(items),
  responses_reasoning_items: optional(items),
  responses_message_items: optional(items),
  anthropic_content_blocks: optional(items),
});
const message = z.object({
  role: z.enum(["system", "user", "assistant", "tool"]),
  content: z.string(),
  toolCalls: optional(z.array(toolCall)),
  toolCallId: optional(z.string()),
  toolName: optional(z.string()),
  status: optional(z.enum(["ok", "error", "denied", "blocked", "cancelled", "interrupted", "skipped"])),
  durationMs: optional(z.number()),
  finishReason: optional(z.string()),
  reasoning: optional(z.string()),
  replay: optional(replay),
  pictures: optional(
    z.array(
      z.object({
        path: z.string(),
        name: z.string(),
        width: optional(z.number()),
        height: optional(z.number()),
        question: optional(z.string()),
      }),
    ),
  ),
});
const usage = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  reasoning: z.number(),
  costUsd: optional(z.number()),
  estimated: optional(z.boolean()),
});
const along = z.object({
  usage: optional(z.object({ of: usage, promptTokens: z.number() })),
  event: optional(z.object({ kind: z.string(), data: z.record(z.string(), z.unknown()) })),
  begun: optional(z.array(z.record(z.string(), z.unknown()))),
  record: optional(z.object({ name: z.string(), json: z.string() })),
});
const result = z.looseObject({ exit_reason: z.string() }).transform((value) => value as unknown as TurnResult); // only `exit_reason` is read

const records = z.record(z.string(), z.string().nullable());
const event = z
  .looseObject({})
  .transform((value) => value as unknown as NextSegment["event"] & PreviousSegment["event"]); // stored and shown as it is
const segmentItem = z.union([
  z.object({
    id: z.int(),
    content: optional(z.string()),
    toolCalls: optional(z.array(toolCall)),
    kind: optional(z.literal("summary")),
  }),
  z.object({ role: z.enum(["user", "assistant"]), content: z.string(), kind: z.enum(["summary", "note"]) }),
]);
const next = z.object({ id: session, turn: optional(turn), items: z.array(segmentItem).max(10_000), records, event });
const previous = z.object({ id: session, records, event });
const use = z.object({ slot: z.string(), model: z.string(), provider: z.string(), usage });

/** Parameters of each method, as they travel. */
const PARAMS = {
  "transcript.messages": z.object({ session }),
  "transcript.begin": z.object({ session, message }),
  "transcript.append": z.object({
    session,
    turn,
    messages: z.array(message).min(1).max(256),
    along: optional(along),
    /** Assistant messages that the turn had before. */
    answers: z.int().min(0).default(0),
  }),
  "transcript.draft": z.object({ session, turn, text: z.string() }),
  "transcript.event": z.object({
    session,
    turn: optional(turn),
    kind: z.string(),
    data: z.record(z.string(), z.unknown()),
  }),
  "transcript.usage": z.object({ session, turn, usage, prompt_tokens: z.number(), calls: z.int().min(0).default(0) }),
  "transcript.prompt": z.object({ session, prompt: z.string(), model: z.string(), provider: z.string() }),
  "transcript.record": z.object({ session, name: z.string() }),
  "transcript.set_record": z.object({ session, name: z.string(), json: z.string() }),
  "transcript.next_segment": z.object({ session, next }),
  "transcript.previous_segment": z.object({ session, previous }),
  "transcript.side_usage": z.object({ session, turn: optional(turn), use }),
  "transcript.end": z.object({ session, turn, result }),
} as const;

export type TranscriptMethod = keyof typeof PARAMS;

/**
 * Functions over plain JSON that the owner exposes to its workers. Each throws E_INVALID_PARAMS for what is not of its form. `again`: it was
 * asked for before and perhaps done; what is there already is not stored a second time.
 */
export type TranscriptMethods = Readonly<
  Record<TranscriptMethod, (params: unknown, again?: boolean) => Promise<unknown>>
>;

export interface MethodDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** Run of the worker that calls. */
  readonly run?: number;
  /** Called before anything is done; throws when the caller may not write into this session. */
  readonly allow?: (session: SessionRecord) => Promise<void>;
}

interface Asked {
  readonly transcript: Transcript;
  /** Set when it was asked for before. */
  readonly before: StoredBefore | undefined;
  readonly run: number | undefined;
}

export function transcriptMethods(deps: MethodDeps): TranscriptMethods {
  const handle =
    <N extends TranscriptMethod>(
      name: N,
      work: (asked: Asked, params: z.output<(typeof PARAMS)[N]>) => Promise<unknown>,
    ) =>
    async (given: unknown, again?: boolean): Promise<unknown> => {
      const params = parse(name, given);
      const found = await sessionOf(deps, params.session);
      const before = again === true ? findStoredBefore(deps.store, found) : undefined;
      return work({ transcript: openTranscript(deps, found), before, run: deps.run }, params);
    };
  return {
    "transcript.messages": handle("transcript.messages", ({ transcript }) => transcript.messages()),
    "transcript.begin": handle("transcript.begin", begin),
    "transcript.append": handle("transcript.append", append),
    "transcript.draft": handle("transcript.draft", ({ transcript }, params) =>
      transcript.draft(params.turn, params.text),
    ),
    "transcript.event": handle("transcript.event", tell),
    "transcript.usage": handle("transcript.usage", count),
    "transcript.prompt": handle("transcript.prompt", ({ transcript }, { prompt, model, provider }) =>
      transcript.setSystemPrompt(prompt, model, provider),
    ),
    "transcript.record": handle("transcript.record", ({ transcript }, params) => transcript.record(params.name)),
    "transcript.set_record": handle("transcript.set_record", ({ transcript }, params) =>
      transcript.setRecord(params.name, params.json),
    ),
    "transcript.next_segment": handle("transcript.next_segment", nextSegment),
    "transcript.previous_segment": handle("transcript.previous_segment", ({ transcript }, params) =>
      segment(transcript, transcript.previousSegment(params.previous)),
    ),
    "transcript.side_usage": handle("transcript.side_usage", sideUsage),
    "transcript.end": handle("transcript.end", end),
  };
}

type Params<N extends TranscriptMethod> = z.output<(typeof PARAMS)[N]>;

const begin = async ({ transcript, before, run }: Asked, params: Params<"transcript.begin">) =>
  (await before?.begun(params.message, run)) ?? (await transcript.beginTurn(params.message));

const append = async (
  { transcript, before }: Asked,
  { turn: id, messages, along: more, answers }: Params<"transcript.append">,
) => (await before?.appended(id, messages, answers)) ?? (await transcript.append(id, messages, more));

async function tell(
  { transcript, before }: Asked,
  { turn: id, kind, data }: Params<"transcript.event">,
): Promise<void> {
  if (!(await before?.told(id, kind, data))) await transcript.event(id, kind, data);
}

async function count({ transcript, before }: Asked, params: Params<"transcript.usage">): Promise<void> {
  if (!(await before?.counted(params.calls)))
    await transcript.addUsage(params.turn, params.usage, params.prompt_tokens);
}

/** Asked for a second time it may be counted already; it is rather lost than counted twice. */
async function sideUsage({ transcript, before }: Asked, params: Params<"transcript.side_usage">): Promise<void> {
  if (before === undefined) await transcript.addSideUsage(params.use, params.turn);
}

/** Asked for a second time, it exists already: the id was drawn by the caller. */
async function nextSegment(
  { transcript, before }: Asked,
  params: Params<"transcript.next_segment">,
): Promise<TranscriptSegment> {
  return (await before?.segment(params.next.id)) ?? segment(transcript, transcript.nextSegment(params.next));
}

const segment = async (transcript: Transcript, made: Promise<readonly MessageRecord[]>): Promise<TranscriptSegment> => {
  const messages = await made;
  return { session: transcript.session, messages };
};

async function end({ transcript, before }: Asked, params: Params<"transcript.end">): Promise<void> {
  if (!(await before?.ended(params.turn))) await transcript.endTurn(params.turn, params.result);
}

function parse<N extends TranscriptMethod>(name: N, given: unknown): z.output<(typeof PARAMS)[N]> {
  const parsed = PARAMS[name].safeParse(given);
  if (parsed.success) return parsed.data as z.output<(typeof PARAMS)[N]>; // the schema was looked up under the same name
  const [issue] = parsed.error.issues;
  throw new AppError("E_INVALID_PARAMS", `${name}: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "invalid"}`, {
    method: name,
  });
}

async function sessionOf(deps: MethodDeps, id: SessionId): Promise<SessionRecord> {
  const found = await deps.store.read((q) => sessions.get(q, id));
  if (!found) throw noSession(id);
  await deps.allow?.(found);
  return found;
}
