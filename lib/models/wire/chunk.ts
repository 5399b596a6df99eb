import { isRecord } from "../../base/json/record.js";
import { NO_USAGE, type Usage } from "../../contracts/models/model.js";

/** What one chunk of a chat-completions answer says, or a whole unstreamed answer. */
export interface Chunk {
  readonly model: string | undefined;
  readonly finish: string | undefined;
  readonly delta: ChunkDelta | undefined;
  readonly usage: Usage | undefined;
}

export interface ChunkDelta {
  readonly content: string | undefined;
  readonly thought: string | undefined;
  readonly refusal: string | undefined;
  /** Blocks that the endpoint wants back. */
  readonly details: readonly Members[];
  readonly calls: readonly CallDelta[];
}

export interface CallDelta {
  readonly index: number | undefined;
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly arguments: string | undefined;
  /** Its members that are unknown here. */
  readonly extra: Members;
}

type Members = Readonly<Record<string, unknown>>;

const NOTHING: Members = {};

/**
 * Foreign wire: every member optional, a wrong type is as good as absent, and a list with a wrong element is as good as none. By hand, because a
 * long answer has thousands of chunks.
 */
export function readChunk(value: unknown): Chunk {
  const { model, choices, usage } = membersOf(value);
  const choice = Array.isArray(choices) && choices.every(isChoice) ? membersOf(choices[0]) : NOTHING;
  const delta = choice["delta"] ?? choice["message"];
  return {
    model: textOf(model),
    finish: textOf(choice["finish_reason"]),
    delta: isRecord(delta) ? readDelta(delta) : undefined,
    usage: isRecord(usage) ? readUsage(usage) : undefined,
  };
}

const isChoice = (value: unknown): boolean => isRecord(value) && isPart(value["delta"]) && isPart(value["message"]);
const isPart = (value: unknown): boolean => value === undefined || value === null || isRecord(value);
const membersOf = (value: unknown): Members => (isRecord(value) ? value : NOTHING);
const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const countOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;

function readDelta(delta: Members): ChunkDelta {
  const { reasoning_details: details, tool_calls: calls } = delta;
  return {
    content: textOf(delta["content"]),
    thought: textOf(delta["reasoning_content"]) || textOf(delta["reasoning"]),
    refusal: textOf(delta["refusal"]),
    details: Array.isArray(details) && details.every(isRecord) ? details : [],
    calls: Array.isArray(calls) && calls.every(isCall) ? calls.map(readCall) : [],
  };
}

const isCall = (value: unknown): value is Members => isRecord(value) && isPart(value["function"]);

function readCall({ index, id, type: _type, function: given, ["__proto__"]: _none, ...extra }: Members): CallDelta {
  const called = membersOf(given);
  return {
    index: countOf(index),
    id: textOf(id),
    name: textOf(called["name"]),
    arguments: argumentsOf(called["arguments"]),
    extra,
  };
}

/** Some endpoints send the arguments as the object that they are. */
const argumentsOf = (value: unknown): string | undefined => (isRecord(value) ? JSON.stringify(value) : textOf(value));

function readUsage(usage: Members): Usage {
  const read = membersOf(usage["prompt_tokens_details"]);
  const cacheRead = countOf(read["cached_tokens"]) ?? 0;
  const cacheWrite = countOf(read["cache_write_tokens"]) ?? 0;
  const cost = countOf(usage["cost"]);
  return {
    ...NO_USAGE,
    input: Math.max(0, (countOf(usage["prompt_tokens"]) ?? 0) - cacheRead - cacheWrite),
    output: countOf(usage["completion_tokens"]) ?? 0,
    cacheRead,
    cacheWrite,
    reasoning: countOf(membersOf(usage["completion_tokens_details"])["reasoning_tokens"]) ?? 0,
    ...(cost !== undefined && cost >= 0 ? { costUsd: cost } : {}),
  };
}
