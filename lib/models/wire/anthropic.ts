import * as z from "zod";
import { isRecord, ownEntry } from "../../base/json/record.js";
import {
  type FinishReason,
  type ModelEvent,
  type ModelRequest,
  NO_USAGE,
  type Provider,
  type Usage,
} from "../../contracts/models/model.js";
import type { ProviderConfig, ProviderPorts } from "../core/define.js";
import { extractError } from "../core/error-text.js";
import { assemblerOf, createAnswer, type StreamedAnswer } from "./answer.js";
import { anthropicBody, betasOf } from "./anthropic-body.js";
import { addTo, type BlockText, newBlock, signedBlocks } from "./anthropic-replay.js";
import type { Assembler } from "./assemble.js";
import { endpointUrl } from "./body.js";
import { httpProvider, type Protocol } from "./exchange.js";

/** The messages protocol (core part, 3.4). */
const ANTHROPIC: Protocol = {
  name: "messages",
  traits: { noPrefill: true },
  url: (config) => endpointUrl(rootOf(config.baseUrl), "v1/messages"),
  modelsUrl: (config) => endpointUrl(rootOf(config.baseUrl), "v1/models"),
  headers: headersOf,
  body: anthropicBody,
  assembler: (request) => anthropicAssembler(request),
  errorIn: extractError,
};

/** The messages protocol at one endpoint. */
export const anthropicProvider = (ports: ProviderPorts, config: ProviderConfig): Provider =>
  httpProvider(ANTHROPIC, ports, config);

/** Date of the protocol, as its public description names it. */
const VERSION = "2023-06-01";

function headersOf(config: ProviderConfig, request?: ModelRequest): Record<string, string> {
  const key = config.apiKey?.reveal();
  const betas = betasOf(config, request?.without);
  return { "anthropic-version": VERSION, "anthropic-beta": betas.join(","), ...(key ? { "x-api-key": key } : {}) };
}

/** People write the address with and without `/v1`. */
function rootOf(baseUrl: string): string {
  const url = new URL(baseUrl);
  url.pathname = url.pathname.replace(/\/v1\/*$/, "");
  return url.href;
}

/** Foreign wire: loose, every member optional, a wrong type is as good as absent. */
const text = z.string().nullish().catch(undefined);
const count = z.number().nullish().catch(undefined);
const usageSchema = z.looseObject({
  input_tokens: count,
  output_tokens: count,
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count,
});
const blockSchema = z.looseObject({
  type: text,
  id: text,
  name: text,
  text,
  thinking: text,
  signature: text,
  data: text,
  input: z.unknown().optional(),
});
const messageSchema = z.looseObject({
  model: text,
  stop_reason: text,
  content: z.array(blockSchema).nullish().catch(undefined),
  usage: usageSchema.nullish().catch(undefined),
});
const eventSchema = z.looseObject({
  type: text,
  index: count,
  message: messageSchema.nullish().catch(undefined),
  content_block: blockSchema.nullish().catch(undefined),
  delta: z
    .looseObject({ type: text, text, thinking: text, signature: text, partial_json: text, stop_reason: text })
    .nullish()
    .catch(undefined),
  usage: usageSchema.nullish().catch(undefined),
});

type Block = z.output<typeof blockSchema>;
type Message = z.output<typeof messageSchema>;

interface State {
  readonly answer: StreamedAnswer;
  /** The blocks as they have to come back, by their place. */
  readonly blocks: Map<number, BlockText>;
  stop: string | undefined;
  ended: boolean;
}

/** Puts an answer of the messages protocol together. */
export function anthropicAssembler(request: ModelRequest): Assembler {
  const answer = createAnswer(request.model, request.requestId);
  const state: State = { answer, blocks: new Map(), stop: undefined, ended: false };
  return assemblerOf(answer, {
    chunk: (value) => take(state, value),
    finish: () => finish(state),
    ended: () => state.ended,
  });
}

function take(state: State, value: unknown): ModelEvent[] {
  if (isRecord(value) && value["type"] === "message") return takeWhole(state, messageSchema.parse(value));
  const event = eventSchema.parse(value);
  const { answer } = state;
  const place = event.index ?? 0;
  if (event.usage) addUsage(answer, event.usage);
  switch (event.type) {
    case "message_start":
      if (event.message?.model) answer.model = event.message.model;
      if (event.message?.usage) addUsage(answer, event.message.usage);
      return [];
    case "content_block_start":
      return event.content_block ? takeBlock(state, place, event.content_block) : [];
    case "content_block_delta":
      return event.delta ? takeDelta(state, place, event.delta) : [];
    case "message_delta":
      state.stop = event.delta?.stop_reason ?? state.stop;
      return [];
    case "message_stop":
      state.ended = true;
      return [];
    default:
      return []; // pings, and what newer servers add
  }
}

type Delta = Readonly<Partial<Record<"text" | "thinking" | "signature" | "partial_json", string | null | undefined>>>;

function takeBlock({ answer, blocks }: State, place: number, block: Block): ModelEvent[] {
  blocks.set(place, newBlock(block));
  if (block.type === "text") return answer.text(block.text ?? "");
  if (block.type === "thinking") return answer.thought(block.thinking ?? "");
  if (block.type !== "tool_use") return [];
  const events = answer.call(place, { id: block.id ?? "", name: block.name ?? "" });
  if (isRecord(block.input) && Object.keys(block.input).length > 0)
    answer.args(place, JSON.stringify(block.input), true);
  return events;
}

function takeDelta({ answer, blocks }: State, place: number, delta: Delta): ModelEvent[] {
  const block = blocks.get(place);
  if (block) addTo(block, delta);
  if (delta.partial_json) answer.args(place, delta.partial_json);
  return [...(delta.text ? answer.text(delta.text) : []), ...(delta.thinking ? answer.thought(delta.thinking) : [])];
}

/** An endpoint that does not stream. */
function takeWhole(state: State, message: Message): ModelEvent[] {
  const { answer } = state;
  if (message.model) answer.model = message.model;
  if (message.usage) addUsage(answer, message.usage);
  state.stop = message.stop_reason ?? undefined;
  return (message.content ?? []).flatMap((block, place) => takeBlock(state, place, block));
}

/** Input is counted when the answer begins, output when it ends. */
function addUsage(answer: StreamedAnswer, usage: z.output<typeof usageSchema>): void {
  const before: Usage = answer.usage;
  answer.usage = {
    ...NO_USAGE,
    input: usage.input_tokens ?? before.input,
    output: usage.output_tokens ?? before.output,
    cacheRead: usage.cache_read_input_tokens ?? before.cacheRead,
    cacheWrite: usage.cache_creation_input_tokens ?? before.cacheWrite,
  };
}

const STOPS: Readonly<Record<string, FinishReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  pause_turn: "length",
  tool_use: "tool_calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "content_filter",
};

function finish({ answer, blocks, stop }: State): ModelEvent[] {
  answer.replay = signedBlocks(blocks);
  const reason = stop === undefined ? undefined : (ownEntry(STOPS, stop) ?? "stop");
  return answer.end(reason === "stop" && answer.slots.length > 0 ? "tool_calls" : reason);
}
