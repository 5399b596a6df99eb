import { linkSignals } from "../../base/async/abort-any.js";
import { unlessAborted } from "../../base/async/aborted.js";
import { isRecord } from "../../base/json/record.js";
import type { Ms } from "../../base/units.js";
import type {
  ChatMessage,
  FinishReason,
  ModelEvent,
  ModelFailure,
  ModelRequest,
  Provider,
  ToolCall,
  Usage,
} from "../../contracts/models/model.js";
import type { PluginModelProvider, PluginModelRequest } from "../../contracts/models/plugin-models.js";
import { toFailure } from "../core/classify.js";
import type { ProviderConfig, ProviderPorts } from "../core/define.js";

/** Characters that are reported of what a plugin throws. */
const ERROR_CHARS = 2_000;
/** Characters of one answer. */
const ANSWER_CHARS = 8_000_000;

/** A model provider of a plugin as turns use it: whatever its code does, one request gives one stream that ends. */
export function pluginProvider(
  given: PluginModelProvider,
  ports: Pick<ProviderPorts, "clock">,
  config: ProviderConfig,
): Provider {
  return {
    id: config.id,
    baseUrl: config.baseUrl,
    models: async (signal) => {
      const ids: unknown = (await given.models?.(signal)) ?? [];
      return Array.isArray(ids) ? ids.filter((id): id is string => typeof id === "string" && id !== "") : [];
    },
    stream: (request, signal) => stream(given, { clock: ports.clock, config, request }, signal),
  };
}

interface Asked {
  readonly clock: ProviderPorts["clock"];
  readonly config: ProviderConfig;
  readonly request: ModelRequest;
}

async function* stream(
  given: PluginModelProvider,
  asked: Asked,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void> {
  const { clock, config, request } = asked;
  const late = new AbortController();
  const either = linkSignals(signal, late.signal);
  const watch = createWatch(clock, config.timeouts.staleMs ?? config.timeouts.readMs, late);
  const answer = createAnswer(request);
  let events: AsyncIterator<unknown> | undefined;
  try {
    events = given.stream(requestOf(asked), either.signal)[Symbol.asyncIterator]();
    for (;;) {
      const next = await unlessAborted(events.next(), either.signal);
      watch.heard();
      if (next.done === true) break;
      const told = answer.take(next.value);
      if (told !== undefined) yield told;
    }
    yield answer.done();
  } catch (error) {
    const failure = signal.aborted ? STOPPED : failureOf(error, request);
    yield { type: "failed", failure, partial: answer.text() };
  } finally {
    watch.end();
    if (!either.signal.aborted) late.abort(); // whatever it still has open is of no use
    either.dispose();
    leave(events);
  }
}

const STOPPED: ModelFailure = { class: "aborted", message: "the request was stopped", retry: false };

/** Nothing of the plugin's is waited for. */
function leave(events: AsyncIterator<unknown> | undefined): void {
  try {
    events?.return?.().catch(() => undefined); // ok to lose: its answer is over
  } catch {
    /* ok to lose: the same. */
  }
}

/** Ends a stream that says nothing for too long. 0: it may take as long as it likes. */
function createWatch(clock: ProviderPorts["clock"], silentMs: Ms, late: AbortController) {
  let cancel = (): void => undefined;
  const heard = (): void => {
    cancel();
    if (silentMs === 0) return;
    cancel = clock.after(silentMs, () => late.abort(new Error(`no event within ${Math.round(silentMs / 1000)} s`)));
  };
  heard();
  return { heard, end: () => cancel() };
}

/** Copies: what a plugin does to them changes no conversation. */
function requestOf({ request, config }: Asked): PluginModelRequest {
  const { model, tools, maxOutputTokens = config.maxOutputTokens, temperature, effort } = request;
  const apiKey = (request.apiKey ?? config.apiKey)?.reveal();
  return {
    model,
    messages: request.messages.map(copyOf),
    tools: structuredClone(tools),
    baseUrl: config.baseUrl,
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(effort === undefined ? {} : { effort }),
    ...(apiKey === undefined ? {} : { apiKey }),
  };
}

function copyOf(message: ChatMessage): ChatMessage {
  if (message.role !== "assistant") return { ...message };
  const { replay: _replay, ...rest } = message; // word for word what another provider wants back
  return structuredClone(rest);
}

/** Puts an answer together. */
function createAnswer(request: ModelRequest) {
  let content = "";
  let reasoning = "";
  let cut: FinishReason | undefined;
  let usage: Usage | undefined;
  const calls: ToolCall[] = [];
  const take = (event: unknown): ModelEvent | undefined => {
    if (!isRecord(event)) throw new Error("the plugin's stream gave something that is no event");
    switch (event["type"]) {
      case "text":
      case "reasoning": {
        const text = String(event["text"] ?? "");
        if (event["type"] === "text") content += text;
        else reasoning += text;
        if (content.length + reasoning.length > ANSWER_CHARS) throw new Error("the answer is too long");
        return { type: event["type"], text };
      }
      case "tool_call":
        calls.push(callOf(event, `${request.requestId}_${calls.length}`));
        return { type: "tool.generating", name: calls.at(-1)?.name ?? "" };
      case "usage":
        usage = usageOf(event);
        return undefined;
      case "stop":
        cut = event["reason"] === "content_filter" ? "content_filter" : "length";
        return undefined;
      default:
        return undefined; // of a newer version
    }
  };
  const done = (): ModelEvent => ({
    type: "done",
    finish: cut ?? (calls.length > 0 ? "tool_calls" : "stop"),
    content,
    reasoning,
    toolCalls: calls,
    usage,
    model: request.model,
  });
  return { take, done, text: () => content };
}

function callOf(event: Readonly<Record<string, unknown>>, id: string): ToolCall {
  const { name, arguments: given = {} } = event;
  if (typeof name !== "string" || name === "") throw new Error("the plugin's stream gave a tool call without a name");
  const own = event["id"];
  return {
    id: typeof own === "string" && own !== "" ? own : id,
    name,
    arguments: typeof given === "string" ? given : JSON.stringify(given),
  };
}

function usageOf(event: Readonly<Record<string, unknown>>): Usage {
  const count = (name: string): number => {
    const value = event[name];
    return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
  };
  const cost = event["costUsd"];
  return {
    input: count("input"),
    output: count("output"),
    cacheRead: count("cacheRead"),
    cacheWrite: count("cacheWrite"),
    reasoning: count("reasoning"),
    ...(typeof cost === "number" ? { costUsd: cost } : {}),
  };
}

function failureOf(error: unknown, { promptTokens, messages, window }: ModelRequest): ModelFailure {
  const body = (error instanceof Error ? error.message : String(error)).slice(0, ERROR_CHARS);
  const status: unknown = typeof error === "object" && error !== null ? Reflect.get(error, "status") : undefined;
  return toFailure({
    body,
    messages: messages.length,
    ...(typeof status === "number" ? { status } : {}),
    ...(promptTokens === undefined ? {} : { promptTokens }),
    ...(window === undefined ? {} : { window }),
  });
}
