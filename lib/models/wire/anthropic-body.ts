import type { ChatMessage, ModelRequest, ReplayItem, ToolCall } from "../../contracts/models/model.js";
import type { ImageData } from "../../contracts/models/pictures.js";
import { type ContentBlock, markCache, type WireTurn } from "../core/cache-marks.js";
import type { ProviderConfig } from "../core/define.js";
import { type EndpointTraits, endpointOf } from "../core/endpoints.js";
import { replayedBlocks } from "./anthropic-replay.js";
import { thinkingOf } from "./anthropic-thinking.js";
import { outputCap } from "./body.js";
import { prepareMessages } from "./messages.js";
import { plainSchema } from "./plain-schema.js";

/** Largest answers of the models, by the longest name that the model id contains (core part, 3.4). */
const OUTPUT_CAPS: Readonly<Record<string, number>> = {
  "opus-4-8": 128_000,
  "opus-4-7": 128_000,
  "opus-4-6": 128_000,
  "3-7-sonnet": 128_000,
  "sonnet-4-6": 64_000,
  "opus-4-5": 64_000,
  "sonnet-4-5": 64_000,
  "haiku-4-5": 64_000,
  "sonnet-4": 64_000,
  "opus-4": 32_000,
  "3-5": 8192,
  "3-": 4096,
  minimax: 131_072,
  qwen3: 65_536,
};
const OTHER_CAP = 128_000;
const BETAS = ["interleaved-thinking-2025-05-14", "fine-grained-tool-streaming-2025-05-14"];

/** Betas of a request: the fixed ones and those of the endpoint, less what it refused. */
export function betasOf(config: ProviderConfig, without: ModelRequest["without"] = []): readonly string[] {
  const { betas = [] } = endpointOf(config.id, config.baseUrl, config.quirks);
  const all = [...BETAS, ...betas];
  return without.includes("long_context_beta") ? all.filter((beta) => !/^context-|long-context/.test(beta)) : all;
}

/** Body of a messages request. `messages` stands behind `system`, so that the next request begins with these bytes up to the last message. */
export function anthropicBody(config: ProviderConfig, request: ModelRequest): string {
  const endpoint = endpointOf(config.id, config.baseUrl, config.quirks);
  const prepared = prepareMessages(request.messages);
  const system = prepared.flatMap((message) => (message.role === "system" ? [message.content] : [])).join("\n\n");
  const model = modelId(request.model);
  const keeps = (message: Assistant) => replayOf(message, { config, request, endpoint });
  const marked = markCache({ system, turns: turnsOf(prepared, keeps) }, endpoint.cache !== undefined, config.cacheTtl);
  const tools = toolsOf(request.tools);
  const cap = maxTokens(config, request, model);
  const { maxOutputTokens: _asked, ...free } = request;
  const room = { cap, most: maxTokens(withoutCap(config), free, model) };
  const thinking = mayThink(prepared, keeps) ? thinkingOf(request, model, room) : {};
  return JSON.stringify({
    model,
    ...(system === "" ? {} : { system: marked.system }),
    messages: marked.turns,
    ...(tools.length > 0 ? { tools, tool_choice: { type: "auto" } } : {}),
    max_tokens: cap,
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...thinking,
    stream: true,
    ...config.extraBody,
  });
}

function withoutCap({ maxOutputTokens: _cap, ...config }: ProviderConfig): ProviderConfig {
  return config;
}

/** The protocol wants a cap: the configured one, else that of the model, and always less than the window leaves. */
function maxTokens(config: ProviderConfig, request: ModelRequest, model: string): number {
  const known = Object.keys(OUTPUT_CAPS)
    .filter((name) => model.includes(name))
    .toSorted((a, b) => b.length - a.length)[0];
  const wanted = outputCap(config, request, {
    defaultOutputCap: known === undefined ? OTHER_CAP : (OUTPUT_CAPS[known] ?? OTHER_CAP),
  });
  return Math.max(1, Math.min(wanted ?? OTHER_CAP, (request.window ?? Number.POSITIVE_INFINITY) - 1));
}

function modelId(id: string): string {
  const own = id.startsWith("anthropic/") ? id.slice("anthropic/".length) : id;
  return own.startsWith("claude-") ? own.replaceAll(".", "-") : own;
}

function toolsOf(tools: ModelRequest["tools"]): readonly ContentBlock[] {
  const first = tools.filter((tool, at) => tools.findIndex((other) => other.name === tool.name) === at);
  return first.map((tool) => ({
    name: tool.name,
    description: tool.description,
    input_schema: plainSchema(tool.parameters),
  }));
}

type Assistant = Extract<ChatMessage, { role: "assistant" }>;
type Kept = (message: Assistant) => readonly ReplayItem[] | undefined;

/** Thinking comes back to the host that signed it, unless the host refused it or takes none. */
function replayOf(
  { replay }: Assistant,
  to: { config: ProviderConfig; request: ModelRequest; endpoint: EndpointTraits },
) {
  if (to.request.without?.includes("signed_thinking") || to.endpoint.keepThinking === "none") return undefined;
  return replay?.from === to.config.baseUrl ? replay.anthropic_content_blocks : undefined;
}

/** A model that thinks wants the thinking before each of its calls back. Where one is lost, e.g. because another model made the call, it cannot think. */
function mayThink(messages: readonly ChatMessage[], kept: Kept): boolean {
  const question = newestQuestion(messages);
  return messages.slice(question + 1).every((message) => {
    if (message.role !== "assistant" || (message.toolCalls ?? []).length === 0) return true;
    return String(kept(message)?.[0]?.["type"]).endsWith("thinking");
  });
}

/**
 * Place of the newest question. What a person says right behind the results of calls, after a turn that was stopped in its calls, is sent in
 * one message with them: the work before it goes on, and the vendor wants the thinking of that work.
 */
function newestQuestion(messages: readonly ChatMessage[]): number {
  const spoken = messages.filter(({ role }) => role !== "system");
  const last = spoken.findLast((message, at) => message.role === "user" && spoken[at - 1]?.role !== "tool");
  return last === undefined ? -1 : messages.lastIndexOf(last);
}

/**
 * Results stand in the user's turn; turns of one side are one. Thinking stands only in the work on the newest question: what was thought about
 * earlier ones is over.
 */
function turnsOf(messages: readonly ChatMessage[], kept: Kept): readonly WireTurn[] {
  const question = newestQuestion(messages);
  const turns: WireTurn[] = [];
  for (const [at, message] of messages.entries()) {
    const turn = turnOf(message, at > question ? kept : () => undefined);
    const before = turns.at(-1);
    if (turn === undefined) continue;
    if (before?.role === turn.role)
      turns[turns.length - 1] = { role: turn.role, content: [...before.content, ...turn.content] };
    else turns.push(turn);
  }
  return turns;
}

function turnOf(message: ChatMessage, kept: Kept): WireTurn | undefined {
  switch (message.role) {
    case "system":
      return undefined;
    case "user":
      return {
        role: "user",
        content: [...(message.images ?? []).map(imageBlock), { type: "text", text: message.content || "(empty)" }],
      };
    case "tool":
      return {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: plainId(message.toolCallId), content: resultContent(message) }],
      };
    case "assistant":
      return { role: "assistant", content: assistantBlocks(message, kept(message)) };
  }
}

function resultContent({ content, images = [] }: Extract<ChatMessage, { role: "tool" }>): string | ContentBlock[] {
  if (images.length === 0) return content || "(no output)";
  return [...(content === "" ? [] : [{ type: "text", text: content }]), ...images.map(imageBlock)];
}

const imageBlock = ({ mime, base64 }: ImageData): ContentBlock => ({
  type: "image",
  source: { type: "base64", media_type: mime, data: base64 },
});

function assistantBlocks(message: Assistant, stored: readonly ReplayItem[] | undefined): readonly ContentBlock[] {
  const calls = message.toolCalls ?? [];
  if (stored !== undefined) return replayedBlocks(stored, calls, callBlock);
  const text = message.content === "" ? [] : [{ type: "text", text: message.content }];
  return text.length + calls.length > 0 ? [...text, ...calls.map(callBlock)] : [{ type: "text", text: "(empty)" }];
}

/** `prepareMessages` wrote the arguments, so they are JSON. */
const callBlock = (call: ToolCall): ContentBlock => ({
  type: "tool_use",
  id: plainId(call.id),
  name: call.name,
  input: JSON.parse(call.arguments) as unknown,
});

const plainId = (id: string): string => id.replace(/[^A-Za-z0-9_-]/g, "_");
