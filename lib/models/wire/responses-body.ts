import type { ChatMessage, ModelRequest, Replay, ToolCall } from "../../contracts/models/model.js";
import type { ImageData } from "../../contracts/models/pictures.js";
import type { ProviderConfig } from "../core/define.js";
import { endpointOf } from "../core/endpoints.js";
import { dataUrl, outputCap } from "./body.js";
import { ExchangeError } from "./exchange.js";
import { prepareMessages } from "./messages.js";

/** What a Responses body may hold. Anything else is a mistake of the configuration, told before anything is sent. */
const ALLOWED = new Set([
  "model",
  "instructions",
  "input",
  "tools",
  "store",
  "reasoning",
  "include",
  "max_output_tokens",
  "temperature",
  "tool_choice",
  "parallel_tool_calls",
  "prompt_cache_key",
  "service_tier",
  "extra_headers",
  "extra_body",
  "timeout",
  "stream",
]);

const IDENTITY = "You are a helpful agent that works with tools.";

/**
 * Body of a Responses request. `input` stands right after `instructions`, so that the next request of the conversation begins with these bytes
 * up to the last item.
 *
 * @throws WireError `extra_body` of the provider holds a member that the protocol does not have
 */
export function responsesBody(config: ProviderConfig, request: ModelRequest): string {
  const endpoint = endpointOf(config.id, config.baseUrl, config.quirks);
  const messages = prepareMessages(request.messages);
  const system = messages.flatMap((message) => (message.role === "system" ? [message.content] : [])).join("\n\n");
  const cap = outputCap(config, request, endpoint);
  const body = {
    model: request.model,
    instructions: system || IDENTITY,
    input: messages.flatMap((message) => itemsOf(message, replayable(config, request))),
    ...(request.tools.length > 0
      ? { tools: request.tools.map(toolOf), tool_choice: "auto", parallel_tool_calls: true }
      : {}),
    store: false,
    ...reasoningOf(request),
    ...(request.fast === true && endpoint.fast === "service_tier" ? { service_tier: "priority" } : {}),
    ...(request.cacheKey === undefined ? {} : { prompt_cache_key: request.cacheKey }),
    ...(cap === undefined ? {} : { max_output_tokens: cap }),
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    stream: true,
    ...config.extraBody,
  };
  const foreign = Object.keys(body).filter((name) => !ALLOWED.has(name));
  if (foreign.length > 0)
    throw new ExchangeError(`extra_body contains members unknown to the Responses protocol: ${foreign.join(", ")}`);
  return JSON.stringify(body);
}

const toolOf = (tool: ModelRequest["tools"][number]) => ({
  type: "function",
  name: tool.name,
  description: tool.description,
  strict: false,
  parameters: tool.parameters,
});

/** Models that reason, by name. Others refuse an effort. */
const REASONS = /(^|\/)(gpt-5|o[134](-|$)|codex|gpt-oss)/;

/** How hard to reason, and that the reasoning comes back encrypted, because nothing is stored there. */
function reasoningOf({ model, effort }: ModelRequest): Readonly<Record<string, unknown>> {
  if (effort === "none" || (effort === undefined && !REASONS.test(model))) return {};
  const told = effort === undefined ? "medium" : effort === "minimal" ? "low" : effort;
  return { reasoning: { effort: told, summary: "auto" }, include: ["reasoning.encrypted_content"] };
}

type Item = Readonly<Record<string, unknown>>;

/** What an endpoint gave goes back to it alone, unless it refused it. */
const replayable =
  (config: ProviderConfig, request: ModelRequest) =>
  ({ replay }: Extract<ChatMessage, { role: "assistant" }>): Replay | undefined =>
    replay?.from === config.baseUrl && !request.without?.includes("encrypted_reasoning") ? replay : undefined;

const imagePart = (image: ImageData): Item => ({ type: "input_image", image_url: dataUrl(image), detail: "auto" });

function itemsOf(message: ChatMessage, kept: ReturnType<typeof replayable>): readonly Item[] {
  switch (message.role) {
    case "system":
      return [];
    case "user":
      return [
        {
          role: "user",
          content: [...(message.images ?? []).map(imagePart), { type: "input_text", text: message.content }],
        },
      ];
    case "tool":
      return [{ type: "function_call_output", call_id: plainId(message.toolCallId), output: outputOf(message) }];
    case "assistant": {
      const { responses_reasoning_items: thought = [], responses_message_items: said } = kept(message) ?? {};
      const plain =
        message.content === ""
          ? []
          : [{ role: "assistant", content: [{ type: "output_text", text: message.content }] }];
      return [...thought, ...(said ?? plain), ...(message.toolCalls ?? []).map(callItem)];
    }
  }
}

const outputOf = ({ content, images = [] }: Extract<ChatMessage, { role: "tool" }>): string | readonly Item[] =>
  images.length === 0
    ? content
    : [...(content === "" ? [] : [{ type: "input_text", text: content }]), ...images.map(imagePart)];

const callItem = (call: ToolCall) => ({
  type: "function_call",
  call_id: plainId(call.id),
  name: call.name,
  arguments: call.arguments,
});

/** A composite id (`call|item`) is sent as that of the call. */
const plainId = (id: string): string => id.split("|")[0] ?? id;
