import type { ChatMessage, ModelRequest, ToolCall } from "../../contracts/models/model.js";
import type { ImageData } from "../../contracts/models/pictures.js";
import { cacheMark, markedAt, markPart } from "../core/cache-marks.js";
import type { ProviderConfig } from "../core/define.js";
import { type EndpointTraits, endpointOf } from "../core/endpoints.js";
import { prepareMessages } from "./messages.js";

/** Tokens that are left free between prompt, answer and window. */
const WINDOW_MARGIN = 256;

/** What the endpoint was found to take. */
export interface WireForm {
  readonly streaming: boolean;
  /** Ask for the usage in the stream. */
  readonly usage: boolean;
}

/**
 * Body of a chat-completions request. `messages` stands right after `model`, so that the next request of the conversation begins with these bytes
 * up to the last message, whatever tools and caps follow: what a provider caches by prefix stays cached.
 */
export function chatBody(config: ProviderConfig, request: ModelRequest, as: WireForm): string {
  const endpoint = endpointOf(config.id, config.baseUrl, config.quirks);
  const cap = outputCap(config, request, endpoint);
  const to: To = { endpoint, config, request, form: formOf(endpoint, config, request) };
  const messages = prepareMessages(request.messages, { resultImages: endpoint.resultImages === true });
  const marks = marksOf(endpoint, request.model) ? markedAt(messages) : NO_MARKS;
  const mark = cacheMark(config.cacheTtl);
  const first = { model: request.model };
  const tools = request.tools.length > 0 ? request.tools : undefined;
  const rest = {
    stream: as.streaming,
    ...(as.streaming && as.usage ? { stream_options: { include_usage: true } } : {}),
    ...(cap === undefined ? {} : { [endpoint.outputCap ?? "max_tokens"]: cap }),
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...reasoningSettings(request, endpoint),
    ...(request.fast === true && endpoint.fast === "service_tier" ? { service_tier: "priority" } : {}),
    ...config.extraBody,
  };
  if ("model" in rest || "messages" in rest || "tools" in rest) {
    const made = {
      ...first,
      messages: messages.map((message, at) =>
        marks.has(at) ? markPart(wireMessage(message, to), mark) : wireMessage(message, to),
      ),
      ...(tools && { tools: tools.map(wireTool) }),
    };
    return JSON.stringify({ ...made, ...rest });
  }
  const said = messages
    .map((message, at) =>
      marks.has(at) ? JSON.stringify(markPart(wireMessage(message, to), mark)) : textOf(message, to),
    )
    .join(",");
  const offered = tools === undefined ? "" : `"tools":${toolsText(tools)},`;
  return `${JSON.stringify(first).slice(0, -1)},"messages":[${said}],${offered}${JSON.stringify(rest).slice(1)}`;
}

const NO_MARKS: ReadonlySet<number> = new Set();

const marksOf = ({ cache, cacheModels }: EndpointTraits, model: string): boolean =>
  cache === "parts" && (cacheModels === undefined || cacheModels.test(model));

/** The tools of a turn are the same list in each of its requests, and the longest part of a short one. */
const toolTexts = new WeakMap<ModelRequest["tools"], string>();

function toolsText(tools: ModelRequest["tools"]): string {
  const known = toolTexts.get(tools) ?? JSON.stringify(tools.map(wireTool));
  toolTexts.set(tools, known);
  return known;
}

/** Texts of messages, and what they depend on beside the message. Those of pictures are made each time: they are not kept twice. */
const texts = new WeakMap<ChatMessage, { readonly by: string; readonly text: string }>();

/** A long conversation goes out again with every request of it. */
function textOf(message: ChatMessage, to: To): string {
  const keeps = (message.role === "tool" && message.images === undefined) || message.role === "assistant";
  if (!keeps) return JSON.stringify(wireMessage(message, to));
  const by = message.role === "tool" ? "" : to.form;
  const known = texts.get(message);
  if (known?.by === by) return known.text;
  const text = JSON.stringify(wireMessage(message, to));
  texts.set(message, { by, text });
  return text;
}

/** What `wireAssistant` looks at beside the message. */
const formOf = (endpoint: EndpointTraits, config: ProviderConfig, request: ModelRequest): string =>
  [endpoint.echoReasoning, endpoint.padReasoning, refusesThinking(request), config.baseUrl].join();

const refusesThinking = (request: ModelRequest): boolean => request.without?.includes("signed_thinking") === true;

/** How hard to think, in the form that the endpoint takes. Nothing unless asked for, or where no form is known. */
function reasoningSettings({ effort }: ModelRequest, { reasoning }: EndpointTraits): Readonly<Record<string, unknown>> {
  if (effort === undefined || reasoning === undefined) return {};
  if (reasoning === "reasoning")
    return { reasoning: effort === "none" ? { enabled: false } : { enabled: true, effort } };
  if (reasoning === "reasoning_effort") return { reasoning_effort: effort };
  if (reasoning === "thinking") return { thinking: { type: effort === "none" ? "disabled" : "enabled" } };
  return {
    thinking_config: effort === "none" ? { thinking_budget: 0 } : { include_thoughts: true, thinking_level: effort },
  };
}

function wireTool({ name, description, parameters }: ModelRequest["tools"][number]) {
  return { type: "function", function: { name, description, parameters } };
}

/** Cap asked for, else the configured one, else the endpoint's; never more than the window leaves. */
export function outputCap(config: ProviderConfig, request: ModelRequest, endpoint: EndpointTraits): number | undefined {
  const wanted = request.maxOutputTokens ?? config.maxOutputTokens ?? endpoint.defaultOutputCap;
  if (wanted === undefined) return undefined;
  const { window, promptTokens } = request;
  const room = window === undefined || promptTokens === undefined ? wanted : window - promptTokens - WINDOW_MARGIN;
  return Math.max(1, Math.min(wanted, room));
}

interface To {
  readonly endpoint: EndpointTraits;
  readonly config: ProviderConfig;
  readonly request: ModelRequest;
  readonly form: string;
}

function wireMessage(message: ChatMessage, to: To): Readonly<Record<string, unknown>> {
  const { endpoint } = to;
  switch (message.role) {
    case "system":
      return { role: endpoint.developerRole ? "developer" : "system", content: message.content };
    case "user":
      return { role: "user", content: withImages(message) };
    case "tool":
      return { role: "tool", tool_call_id: message.toolCallId, name: message.name, content: withImages(message) };
    case "assistant":
      return wireAssistant(message, to);
  }
}

/** A text alone stays one; pictures stand before it. */
function withImages({
  content,
  images = [],
}: Pick<Extract<ChatMessage, { role: "user" }>, "content" | "images">): string | readonly object[] {
  if (images.length === 0) return content;
  const shown = images.map((one) => ({ type: "image_url", image_url: { url: dataUrl(one) } }));
  return [...shown, ...(content === "" ? [] : [{ type: "text", text: content }])];
}

/** A picture as an address that holds it. */
export const dataUrl = ({ mime, base64 }: ImageData): string => `data:${mime};base64,${base64}`;

function wireAssistant(
  message: Extract<ChatMessage, { role: "assistant" }>,
  { endpoint, config, request }: To,
): Readonly<Record<string, unknown>> {
  const calls = message.toolCalls ?? [];
  const refused = refusesThinking(request);
  const kept = endpoint.echoReasoning && !refused ? message.reasoning : undefined;
  const details = message.replay?.from === config.baseUrl && !refused ? message.replay.reasoning_details : undefined;
  const reasoning = kept || (endpoint.padReasoning && calls.length > 0 ? " " : undefined);
  return {
    role: "assistant",
    content: message.content === "" && calls.length > 0 ? null : message.content,
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
    ...(details === undefined ? {} : { reasoning_details: details }),
    ...(calls.length > 0 ? { tool_calls: calls.map(wireCall) } : {}),
  };
}

function wireCall(call: ToolCall): Readonly<Record<string, unknown>> {
  return { id: call.id, type: "function", function: { name: call.name, arguments: call.arguments }, ...call.extra };
}

/** Address of `path` below the base URL; the query of the base URL is kept. */
export function endpointUrl(baseUrl: string, path: string): string {
  const url = new URL(baseUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/${path}`;
  return url.href;
}
