import { createHash } from "node:crypto";
import * as z from "zod";
import { isRecord } from "../../base/json/record.js";
import {
  type FinishReason,
  type ModelEvent,
  type ModelRequest,
  NO_USAGE,
  type Provider,
  type Usage,
} from "../../contracts/models/model.js";
import type { ProviderConfig, ProviderPorts } from "../core/define.js";
import { endpointOf } from "../core/endpoints.js";
import { assemblerOf, createAnswer, type StreamedAnswer } from "./answer.js";
import type { Assembler } from "./assemble.js";
import { endpointUrl } from "./body.js";
import { bearer } from "./chat.js";
import { httpProvider, type Protocol } from "./exchange.js";
import { responsesBody } from "./responses-body.js";
import { replayItems } from "./responses-replay.js";
import type { Watchdogs } from "./watch.js";

/** Above so many tokens the first byte may take as long as the request. */
const PATIENT_ABOVE = 25_000;

const WATCHDOGS: Watchdogs = {
  firstMs: (tokens, { firstMs = 120_000, patientAbove = PATIENT_ABOVE }) => (tokens > patientAbove ? 0 : firstMs),
  eventMs: (tokens, { eventMs }) =>
    eventMs ?? (tokens <= 10_000 ? 12_000 : tokens <= 50_000 ? 60_000 : tokens <= 100_000 ? 120_000 : 180_000),
  progressMs: (tokens, { progressMs }) =>
    progressMs ?? (tokens > 100_000 ? 240_000 : tokens > 50_000 ? 150_000 : 90_000),
};

/** The Responses protocol (core part, 3.3). */
const RESPONSES: Protocol = {
  name: "Responses",
  traits: { announces: true },
  url: (config) => endpointUrl(config.baseUrl, "responses"),
  modelsUrl: (config) => endpointUrl(config.baseUrl, "models"),
  headers: headersOf,
  body: responsesBody,
  assembler: (request) => responsesAssembler(request),
  errorIn: errorOf,
  watchdogs: WATCHDOGS,
};

/** The Responses protocol at one endpoint. */
export const responsesProvider = (ports: ProviderPorts, config: ProviderConfig): Provider =>
  httpProvider(RESPONSES, ports, config);

/** The key, and the conversation where the endpoint finds by a header what it knows already. */
function headersOf(config: ProviderConfig, request?: ModelRequest): Record<string, string> {
  const { cacheHeader } = endpointOf(config.id, config.baseUrl, config.quirks);
  const named = cacheHeader === undefined || request?.cacheKey === undefined ? {} : { [cacheHeader]: request.cacheKey };
  return { ...bearer(config), ...named };
}

/** An `error` event, or an answer that failed as a whole. */
function errorOf(event: unknown): unknown {
  if (!isRecord(event)) return undefined;
  if (event["type"] === "error") return isRecord(event["error"]) ? event : { error: event };
  if (isRecord(event["error"]) && event["type"] === undefined) return event;
  const response = isRecord(event["response"]) ? event["response"] : undefined;
  const status = response?.["status"];
  if (event["type"] !== "response.failed" && status !== "failed" && status !== "cancelled") return undefined;
  return {
    error: isRecord(response?.["error"])
      ? response["error"]
      : { message: `the provider ended the response as ${String(status)}` },
  };
}

/** Foreign wire: loose, every member optional, a wrong type is as good as absent. */
const text = z.string().nullish().catch(undefined);
const count = z.number().nullish().catch(undefined);
const partSchema = z.looseObject({ type: text, text, refusal: text });
const itemSchema = z.looseObject({
  type: text,
  id: text,
  call_id: text,
  name: text,
  arguments: text,
  status: text,
  phase: text,
  content: z.array(partSchema).nullish().catch(undefined),
  summary: z.array(partSchema).nullish().catch(undefined),
});
const responseSchema = z.looseObject({
  model: text,
  status: text,
  output: z.array(itemSchema).nullish().catch(undefined),
  incomplete_details: z.looseObject({ reason: text }).nullish().catch(undefined),
  usage: z
    .looseObject({
      input_tokens: count,
      output_tokens: count,
      input_tokens_details: z.looseObject({ cached_tokens: count }).nullish().catch(undefined),
      output_tokens_details: z.looseObject({ reasoning_tokens: count }).nullish().catch(undefined),
    })
    .nullish()
    .catch(undefined),
});
const eventSchema = z.looseObject({
  type: text,
  delta: text,
  output_index: count,
  item: itemSchema.nullish().catch(undefined),
  response: responseSchema.nullish().catch(undefined),
});

type Item = z.output<typeof itemSchema>;
type Response = z.output<typeof responseSchema>;

interface State {
  readonly answer: StreamedAnswer;
  readonly items: Item[];
  status: string | undefined;
  reason: string | undefined;
  ended: boolean;
}

/** Puts a Responses answer together. */
export function responsesAssembler(request: ModelRequest): Assembler {
  const answer = createAnswer(request.model, request.requestId);
  const state: State = { answer, items: [], status: undefined, reason: undefined, ended: false };
  return assemblerOf(answer, {
    chunk: (value) => take(state, value),
    finish: () => finish(state),
    ended: () => state.ended,
  });
}

function take(state: State, value: unknown): ModelEvent[] {
  // An endpoint that does not stream answers with the response itself.
  if (isRecord(value) && value["type"] === undefined && Array.isArray(value["output"]))
    return takeEnd(state, responseSchema.parse(value));
  const event = eventSchema.parse(value);
  const { answer } = state;
  const type = event.type ?? "";
  const place = event.output_index ?? state.items.length;
  if (event.response?.model) answer.model = event.response.model;
  if (type.endsWith("output_text.delta")) return answer.text(event.delta ?? "");
  if (type.endsWith("refusal.delta")) answer.refusal += event.delta ?? "";
  else if (type.includes("reasoning") && type.endsWith(".delta")) return answer.thought(event.delta ?? "");
  else if (type.endsWith("function_call_arguments.delta")) answer.args(place, event.delta ?? "");
  else if (type === "response.output_item.added" && event.item?.type === "function_call")
    return takeCall(answer, place, event.item);
  else if (type === "response.output_item.done" && event.item) return takeItem(state, place, event.item);
  else if (/^response\.(completed|incomplete|failed)$/.test(type)) return takeEnd(state, event.response ?? {});
  return [];
}

function takeCall(answer: StreamedAnswer, place: number, item: Item): ModelEvent[] {
  return answer.call(place, { id: callId(item, place), name: item.name ?? "" });
}

/** `call_x` and `fc_x` are one call under two names; one without any gets an id that the same call always gets. */
function callId(item: Item, place: number): string {
  if (item.call_id) return item.call_id;
  if (item.id) return item.id.startsWith("fc_") ? `call_${item.id.slice(3)}` : item.id;
  const named = createHash("sha256")
    .update(`${item.name ?? ""}:${item.arguments ?? ""}:${place}`)
    .digest("hex");
  return `call_${named.slice(0, 12)}`;
}

function takeItem(state: State, place: number, item: Item): ModelEvent[] {
  const { answer } = state;
  state.items.push(item);
  if (item.type === "message") {
    for (const part of item.content ?? [])
      if (part.type === "refusal" && answer.refusal === "") answer.refusal = part.refusal ?? "";
    return answer.content === "" ? answer.text(messageText(item)) : [];
  }
  if (item.type === "reasoning" && answer.reasoning === "")
    return answer.thought((item.summary ?? []).map((part) => part.text ?? "").join("\n\n"));
  if (item.type !== "function_call") return [];
  const events = takeCall(answer, place, item);
  if (item.arguments) answer.args(place, item.arguments, true);
  return events;
}

const messageText = (item: Item): string =>
  (item.content ?? []).map((part) => (part.type === "output_text" ? (part.text ?? "") : "")).join("");

function takeEnd(state: State, response: Response): ModelEvent[] {
  const { answer } = state;
  if (response.model) answer.model = response.model;
  if (response.usage) answer.usage = toUsage(response.usage);
  state.status = response.status ?? "completed";
  state.reason = response.incomplete_details?.reason ?? undefined;
  state.ended = true;
  // Some servers send no item events at all.
  return state.items.length > 0 ? [] : (response.output ?? []).flatMap((item, place) => takeItem(state, place, item));
}

function finish(state: State): ModelEvent[] {
  state.answer.replay = replayItems(state.items);
  return state.answer.end(finishOf(state));
}

function finishOf({ answer, items, status, reason }: State): FinishReason | undefined {
  if (status === undefined) return undefined;
  if (answer.content === "" && answer.slots.length === 0 && answer.refusal !== "") return "content_filter";
  if (reason === "content_filter") return "content_filter";
  if (status === "incomplete" && (reason === undefined || reason === "max_output_tokens")) return "length";
  if (answer.slots.length > 0) return "tool_calls";
  const thoughtOnly = answer.content === "" && answer.reasoning !== "";
  return status === "incomplete" || thoughtOnly || isInterim(items, answer.content, status) ? "incomplete" : "stop";
}

/** The answer is not over although the stream is: the model is to go on (core part, 3.3). */
function isInterim(items: readonly Item[], content: string, status: string): boolean {
  if (status === "queued" || status === "in_progress" || content.includes("to=functions.")) return true;
  if (items.some((item) => item.status === "incomplete" || item.status === "in_progress")) return true;
  const phases = items.flatMap((item) => (item.type === "message" && item.phase ? [item.phase] : []));
  return phases.includes("commentary") && !phases.some((phase) => phase.startsWith("final"));
}

function toUsage(usage: NonNullable<Response["usage"]>): Usage {
  const cacheRead = usage.input_tokens_details?.cached_tokens ?? 0;
  return {
    ...NO_USAGE,
    input: Math.max(0, (usage.input_tokens ?? 0) - cacheRead),
    output: usage.output_tokens ?? 0,
    cacheRead,
    reasoning: usage.output_tokens_details?.reasoning_tokens ?? 0,
  };
}
