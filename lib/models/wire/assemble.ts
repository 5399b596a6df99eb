import { ownEntry } from "../../base/json/record.js";
import type { FinishReason, ModelEvent, ModelFailure, Usage } from "../../contracts/models/model.js";
import { type CallSlot, idBaseOf, toCalls } from "./calls.js";
import { type CallDelta, type Chunk, type ChunkDelta, readChunk } from "./chunk.js";
import { createThinkFilter } from "./think-filter.js";

/** Why the bytes ended. `done`: the stream said so; `end`: it just ended; `broken`: the connection died. */
export type StreamEnding = "done" | "end" | "broken";

/** Puts one answer together from its chunks. */
export interface Assembler {
  /** Take one chunk (or a whole unstreamed answer) and say what can be shown. */
  chunk(value: unknown): ModelEvent[];
  /** Everything has come. The last of the events is `done`, or `failed` for a stream without any content. */
  finish(ending: StreamEnding): ModelEvent[];
  /** Text so far. */
  readonly content: string;
  /** Characters of text, reasoning and calls so far: it grows with everything that belongs to the answer. */
  readonly size: number;
  readonly callInFlight: boolean;
  /** The stream said that nothing more comes. */
  readonly ended: boolean;
}

interface State {
  readonly slots: CallSlot[];
  readonly idBase: string;
  readonly filter: ReturnType<typeof createThinkFilter>;
  content: string;
  reasoning: string;
  refusal: string;
  /** Blocks that the endpoint wants back. */
  readonly details: Record<string, unknown>[];
  finish: string | undefined;
  usage: Usage | undefined;
  model: string;
}

/** @param requestId Makes the ids of calls that came without one distinct in the conversation. */
export function createAssembler(model: string, requestId: string): Assembler {
  const state: State = {
    slots: [],
    idBase: idBaseOf(requestId),
    filter: createThinkFilter(),
    content: "",
    reasoning: "",
    refusal: "",
    details: [],
    finish: undefined,
    usage: undefined,
    model,
  };
  return {
    chunk: (value) => takeChunk(state, readChunk(value)),
    finish: (ending) => finish(state, ending),
    get content() {
      return state.content;
    },
    get size() {
      return countAnswerChars(state);
    },
    get callInFlight() {
      return state.slots.length > 0;
    },
    ended: false,
  };
}

/** What there is of an answer, in characters. */
export function countAnswerChars({
  content,
  reasoning,
  slots,
}: {
  content: string;
  reasoning: string;
  slots: readonly CallSlot[];
}): number {
  return (
    content.length + reasoning.length + slots.reduce((sum, slot) => sum + slot.name.length + slot.arguments.length, 0)
  );
}

function takeChunk(state: State, { model, usage, finish, delta }: Chunk): ModelEvent[] {
  if (model) state.model = model;
  if (usage) state.usage = usage;
  if (finish) state.finish = finish;
  return delta ? takeDelta(state, delta) : [];
}

function takeDelta(state: State, delta: ChunkDelta): ModelEvent[] {
  const events: ModelEvent[] = [];
  if (delta.thought) events.push(...shown(state, { text: "", reasoning: delta.thought }));
  if (delta.content) events.push(...shown(state, state.filter.push(delta.content)));
  for (const detail of delta.details) takeDetail(state.details, detail);
  if (delta.refusal) state.refusal += delta.refusal;
  for (const call of delta.calls) events.push(...takeCall(state, call));
  return events;
}

/** Pieces of one block share its index and type: texts grow, everything else is said once. */
function takeDetail(details: Record<string, unknown>[], piece: Readonly<Record<string, unknown>>): void {
  const known = details.find(
    (one) => piece["index"] !== undefined && one["index"] === piece["index"] && one["type"] === piece["type"],
  );
  if (!known) {
    details.push({ ...piece });
    return;
  }
  for (const [name, value] of Object.entries(piece)) {
    const grows =
      (name === "text" || name === "summary" || name === "data") &&
      typeof known[name] === "string" &&
      typeof value === "string";
    if (grows) known[name] = `${String(known[name])}${value}`;
    else if (value !== null && value !== undefined) known[name] = value;
  }
}

function shown(state: State, part: { text: string; reasoning: string }): ModelEvent[] {
  state.content += part.text;
  state.reasoning += part.reasoning;
  const events: ModelEvent[] = [];
  if (part.reasoning !== "") events.push({ type: "reasoning", text: part.reasoning });
  if (part.text !== "") events.push({ type: "text", text: part.text });
  return events;
}

/** Deltas of one call share an index; a new id on a used index is another call. Names are whole, arguments come in pieces. */
function takeCall(state: State, call: CallDelta): ModelEvent[] {
  const slot = slotOf(state, call);
  if (call.id) slot.id = call.id;
  Object.assign(slot.extra, call.extra);
  if (call.name) slot.name = call.name;
  if (call.arguments) slot.arguments += call.arguments;
  if (slot.announced || slot.name === "") return [];
  slot.announced = true;
  return [{ type: "tool.generating", name: slot.name }];
}

function slotOf(state: State, call: CallDelta): CallSlot {
  const index = call.index ?? (call.id || call.name ? state.slots.length : state.slots.length - 1);
  const current = state.slots.findLast((slot) => slot.index === index);
  if (current && (!call.id || current.id === "" || current.id === call.id)) return current;
  const slot: CallSlot = { index, id: "", name: "", arguments: "", extra: {}, announced: false };
  state.slots.push(slot);
  return slot;
}

function finish(state: State, ending: StreamEnding): ModelEvent[] {
  const events = shown(state, state.filter.end());
  const { calls, mended } = toCalls(state.slots, state.idBase);
  const nothing = state.content === "" && state.slots.length === 0;
  if (nothing && state.finish === undefined && state.refusal === "")
    return [...events, { type: "failed", failure: EMPTY, partial: "" }];
  const reason = finishReason(state, { ending, mended });
  const dropped = reason === "dropped" && state.slots.length > 0;
  const content = nothing && reason === "content_filter" ? state.refusal : state.content;
  const done: ModelEvent = {
    type: "done",
    finish: reason,
    content, // with its blanks: it may be one part of an answer
    reasoning: state.reasoning.trim(),
    toolCalls: dropped ? [] : calls,
    usage: state.usage,
    model: state.model,
    ...(reason === "dropped" || state.details.length === 0
      ? {}
      : { replay: { from: "", reasoning_details: state.details } }),
    ...(dropped ? { callDropped: true } : {}),
  };
  return [...events, done];
}

/** The stream held nothing at all. */
export const EMPTY: ModelFailure = {
  class: "empty_stream",
  message: "the provider sent an empty stream: no text, no calls, no finish reason",
  retry: true,
  fallback: true,
  hint: "repeat the request; if it persists, check the provider's log",
};

const REASONS: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  end_turn: "stop",
  eos: "stop",
  tool_calls: "tool_calls",
  function_call: "tool_calls",
  length: "length",
  max_tokens: "length",
  content_filter: "content_filter",
  refusal: "content_filter",
};

function finishReason(state: State, seen: { ending: StreamEnding; mended: boolean }): FinishReason {
  const calls = state.slots.length > 0;
  if (state.finish === undefined) {
    // Arguments that miss only their brackets may miss whole members: without a finish reason it is unknown.
    if (seen.ending === "broken" || (seen.mended && calls)) return "dropped";
    if (calls)
      return seen.ending === "done" || state.slots.every((slot) => slot.arguments !== "") ? "tool_calls" : "dropped";
    return seen.ending === "done" ? "stop" : "dropped";
  }
  const reason = ownEntry(REASONS, state.finish) ?? "stop";
  if (reason === "length" || reason === "content_filter") return reason;
  if (calls) return "tool_calls";
  return state.content === "" && state.refusal !== "" ? "content_filter" : "stop";
}
