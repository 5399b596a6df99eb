import { streamWithLinkedSignal } from "../../base/async/abort-any.js";
import { systemCode } from "../../base/errors.js";
import { LIMITS } from "../../base/limits.js";
import { NetError, type NetResponse } from "../../base/net/net.js";
import { parseRateLimitResetMs } from "../../base/time/rate-limit-reset.js";
import { retryAfterMs } from "../../base/time/retry-after.js";
import type { ModelEvent, ModelFailure, ModelRequest, Provider, ProviderTraits } from "../../contracts/models/model.js";
import { toFailure } from "../core/classify.js";
import type { ProviderConfig, ProviderPorts } from "../core/define.js";
import { endpointOf } from "../core/endpoints.js";
import { modelIds } from "../core/model-rows.js";
import type { Assembler } from "./assemble.js";
import type { WireForm } from "./body.js";
import { createSseReader, SseError } from "./sse.js";
import { idleMs, type Silence, silenceOf, type Watchdogs, watchStream } from "./watch.js";

/** Largest error body and largest unstreamed answer that are read. */
const MAX_ERROR_BYTES = 64 << 10;
const MAX_ANSWER_BYTES = 64 << 20;
const MAX_LIST_BYTES = 8 << 20;

/** What one wire protocol says about itself; how a request travels and fails is the same for all. */
export interface Protocol {
  /** For messages: what the endpoint is expected to be. */
  readonly name: string;
  readonly traits?: ProviderTraits;
  readonly url: (config: ProviderConfig) => string;
  readonly modelsUrl: (config: ProviderConfig) => string;
  readonly headers: (config: ProviderConfig, request?: ModelRequest) => Record<string, string>;
  /** @throws WireError when the request cannot be said in this protocol */
  readonly body: (config: ProviderConfig, request: ModelRequest, form: WireForm) => string;
  /** Puts one answer together, streamed or whole. */
  readonly assembler: (request: ModelRequest, config: ProviderConfig) => Assembler;
  /** The error that an event of the stream holds, as its JSON; undefined when it holds none. */
  readonly errorIn: (event: unknown) => unknown;
  /** The `data` that ends a stream without being an event. */
  readonly endMark?: string;
  /** Takes note of what the endpoint says it cannot do. True: ask again in the changed form. */
  readonly adapts?: (form: MutableWireForm, status: number, body: string) => boolean;
  /** Limits for silences that are its own. */
  readonly watchdogs?: Watchdogs;
}

/** How the endpoint wants to be asked, as far as it was found out. */
export type MutableWireForm = { -readonly [Key in keyof WireForm]: WireForm[Key] };

/** An endpoint that speaks `protocol`. */
export function httpProvider(protocol: Protocol, ports: ProviderPorts, config: ProviderConfig): Provider {
  const session: Session = { protocol, ports, config, form: { streaming: true, usage: true } };
  return {
    id: config.id,
    baseUrl: config.baseUrl,
    traits: traitsOf(protocol, config),
    stream: (request, signal) => streamWithLinkedSignal([signal], (own) => stream(session, request, own)), // a turn has many: nothing of one stays at its signal
    models: (signal) => listModels(session, signal),
  };
}

function traitsOf(protocol: Protocol, config: ProviderConfig): ProviderTraits {
  const { fakeStop, fast, router } = endpointOf(config.id, config.baseUrl, config.quirks);
  return {
    ...protocol.traits,
    ...(fakeStop === true ? { fakeStop } : {}),
    ...(fast === undefined ? {} : { fast: true }),
    ...(router === true ? { router } : {}),
    ...(config.maxOutputTokens === undefined ? {} : { outputCap: config.maxOutputTokens }),
  };
}

interface Session {
  readonly protocol: Protocol;
  readonly ports: ProviderPorts;
  readonly config: ProviderConfig;
  readonly form: MutableWireForm;
}

/** One request on its way. */
interface Exchange {
  readonly session: Session;
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
  readonly parts: Assembler;
}

async function* stream(session: Session, request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void> {
  const parts = session.protocol.assembler(request, session.config);
  const exchange: Exchange = { session, request, signal, parts };
  try {
    for await (const event of attempt(exchange))
      yield event.type === "done" && event.replay ? from(session.config, event) : event;
  } catch (error) {
    yield { type: "failed", failure: thrownFailure(exchange, error), partial: parts.content };
  }
}

/** What is to come back goes to its own provider only. */
const from = ({ baseUrl }: ProviderConfig, done: Extract<ModelEvent, { type: "done" }>): ModelEvent =>
  done.replay ? { ...done, replay: { ...done.replay, from: baseUrl } } : done;

async function* attempt(exchange: Exchange): AsyncGenerator<ModelEvent, void> {
  const { session, request } = exchange;
  const response = await answered(exchange);
  if (response.status < 200 || response.status > 299) {
    const body = await response.text(MAX_ERROR_BYTES);
    if (session.protocol.adapts?.(session.form, response.status, body)) return yield* attempt(exchange);
    const wait = retryAfterMs(response.headers, session.ports.clock.now());
    const reset = parseRateLimitResetMs(response.headers, body, session.ports.clock.now());
    const failure = toFailure(known(request, { status: response.status, body }), {
      ...(wait === undefined ? {} : { retryAfterMs: wait }),
      ...(reset === undefined ? {} : { resetMs: reset }),
    });
    yield { type: "failed", failure, partial: "" };
    return;
  }
  if (/^hit$/i.test(response.headers["x-openrouter-cache-status"] ?? ""))
    session.ports.log.info("the router answered from its cache", { model: request.model });
  if (isJson(response)) yield* whole(exchange, response);
  else yield* streamed(exchange, response);
}

/** The head of the answer, within the limit for its first event. */
async function answered(exchange: Exchange): Promise<NetResponse> {
  const { session, request, signal } = exchange;
  const { first } = silenceFor(session, request);
  if (first === 0 || !session.form.streaming) return send(exchange, signal);
  const cut = new AbortController();
  const cancel = session.ports.clock.after(first, () => cut.abort());
  try {
    return await send(exchange, AbortSignal.any([signal, cut.signal]));
  } catch (error) {
    throw cut.signal.aborted && !signal.aborted
      ? new NetError("timeout", `no response within ${first} ms`, error)
      : error;
  } finally {
    cancel();
  }
}

async function send({ session, request }: Exchange, signal: AbortSignal): Promise<NetResponse> {
  const { ports, protocol, form } = session;
  const config = request.apiKey === undefined ? session.config : { ...session.config, apiKey: request.apiKey };
  return ports.net.fetch({
    method: "POST",
    url: protocol.url(config),
    headers: {
      ...protocol.headers(config, request),
      ...config.extraHeaders,
      "content-type": "application/json",
      accept: form.streaming ? "text/event-stream" : "application/json",
    },
    body: protocol.body(config, request, form),
    connectMs: config.timeouts.connectMs,
    totalMs: config.timeouts.totalMs,
    idleMs: form.streaming ? idleMs(silenceFor(session, request), config.timeouts.readMs) : 0,
    purpose: "model",
    signal,
  });
}

const silenceFor = ({ protocol, config }: Session, { promptTokens = 0 }: ModelRequest): Silence =>
  silenceOf(config, promptTokens, protocol.watchdogs);

const isJson = (response: NetResponse) => (response.headers["content-type"] ?? "").includes("application/json");

async function* whole(exchange: Exchange, response: NetResponse): AsyncGenerator<ModelEvent, void> {
  const text = await response.text(MAX_ANSWER_BYTES);
  const value = parsedChunk(exchange, text);
  yield* exchange.parts.chunk(value);
  yield* exchange.parts.finish("done");
}

async function* streamed(exchange: Exchange, response: NetResponse): AsyncGenerator<ModelEvent, void> {
  const reader = createSseReader();
  const { session, parts } = exchange;
  const watch = watchStream(session.ports.clock, silenceFor(session, exchange.request), () => response.cancel());
  let seen = 0;
  try {
    for await (const data of eventsOf(response, reader)) {
      watch.event();
      seen += 1;
      if (data === session.protocol.endMark) return yield* parts.finish("done");
      const before = parts.size;
      yield* parts.chunk(parsedChunk(exchange, data));
      if (parts.size !== before) watch.progressed();
      if (parts.size > LIMITS.answerChars)
        throw new EndlessAnswer(`the answer exceeds ${LIMITS.answerChars} characters`);
      if (parts.ended) return yield* parts.finish("done");
    }
  } catch (error) {
    throw watch.stale === undefined ? error : new NetError("timeout", watch.stale);
  } finally {
    watch.stop();
  }
  if (seen === 0 && !isEventStream(response)) throw new NoStream(NO_STREAM(response, exchange.session.protocol.name));
  yield* exchange.parts.finish("end");
}

async function* eventsOf(
  response: NetResponse,
  reader: ReturnType<typeof createSseReader>,
): AsyncGenerator<string, void> {
  for await (const bytes of response.body) yield* reader.push(bytes);
  yield* reader.end();
}

const isEventStream = (response: NetResponse) => (response.headers["content-type"] ?? "").includes("event-stream");

const NO_STREAM = (response: NetResponse, protocol: string) =>
  `the response is not an event stream (${response.headers["content-type"] ?? "no content type"}); is this a ${protocol} endpoint?`;

/** Request or answer is not what the protocol promises. */
export class ExchangeError extends Error {
  override readonly name = "ExchangeError";
}

/** What answers is something else, e.g. a web page: asking again cannot help. */
class NoStream extends ExchangeError {}

/** An answer without end: asking again gives another one. */
class EndlessAnswer extends Error {
  override readonly name = "EndlessAnswer";
}

const NEVER = { class: "format_error", retry: false } as const;

/** The provider reported an error inside a stream that began well. */
class StreamedError extends Error {
  override readonly name = "StreamedError";
}

function parsedChunk(exchange: Exchange, data: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch (error) {
    throw new ExchangeError(`invalid JSON in the event stream: ${JSON.stringify(data.slice(0, 80))}`, {
      cause: error,
    });
  }
  if (exchange.session.protocol.errorIn(value) !== undefined)
    throw new StreamedError(JSON.stringify(exchange.session.protocol.errorIn(value)));
  if (typeof value !== "object" || value === null)
    throw new ExchangeError(`an event of the stream is not an object: ${data.slice(0, 80)}`);
  return exchange.signal.aborted ? stopped() : value;
}

function stopped(): never {
  throw new NetError("aborted", "the request was stopped");
}

const known = (request: ModelRequest, failed: { status?: number; body: string }) => ({
  ...failed,
  messages: request.messages.length,
  ...(request.promptTokens === undefined ? {} : { promptTokens: request.promptTokens }),
  ...(request.window === undefined ? {} : { window: request.window }),
});

function thrownFailure(exchange: Exchange, error: unknown): ModelFailure {
  const { session, request, signal, parts } = exchange;
  if (signal.aborted) return { class: "aborted", message: "the request was stopped", retry: false };
  const inFlight = parts.callInFlight ? { callInFlight: true } : {};
  if (error instanceof StreamedError) return { ...toFailure(known(request, { body: error.message })), ...inFlight };
  const prefix = `${session.config.id} at ${session.config.baseUrl}: `;
  if (error instanceof EndlessAnswer)
    return {
      ...NEVER,
      message: `${prefix}${error.message}`,
      hint: "ask for less at once, or choose another model with /model",
    };
  if (error instanceof ExchangeError || error instanceof SseError) {
    const failure = toFailure({ ...known(request, { body: error.message }), transport: "protocol" }, { prefix });
    return { ...failure, ...(error instanceof NoStream ? NEVER : { class: "unknown" }), ...inFlight };
  }
  if (error instanceof NetError) {
    const body = explained(error);
    return { ...toFailure({ ...known(request, { body }), transport: error.failure }, { prefix }), ...inFlight };
  }
  const message = error instanceof Error ? error.message : String(error);
  return {
    class: "unknown",
    message: `${prefix}${message}`,
    retry: false,
    hint: "internal error; see logs/errors.log in the home",
  };
}

/** The address stands before it already. */
function explained(error: NetError): string {
  const code = systemCode(error.cause) ?? error.failure;
  if (error.failure === "refused") return `no server is listening there (${code})`;
  if (error.failure === "reset") return `the connection was lost (${code})`;
  return error.failure === "tls" ? `no trusted connection: ${error.message}` : error.message;
}

async function listModels({ protocol, ports, config }: Session, signal: AbortSignal): Promise<readonly string[]> {
  try {
    const response = await ports.net.fetch({
      method: "GET",
      url: protocol.modelsUrl(config),
      headers: { ...protocol.headers(config), ...config.extraHeaders },
      connectMs: config.timeouts.connectMs,
      totalMs: 15_000,
      purpose: "model",
      signal,
    });
    const text = await response.text(MAX_LIST_BYTES);
    return response.status === 200 ? modelIds(text) : [];
  } catch (error) {
    if (error instanceof NetError) return [];
    throw error;
  }
}
