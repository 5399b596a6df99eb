import { memo } from "../../base/async/memo.js";
import type { Vendor } from "./prices.js";

/** How one endpoint differs from the plain protocol. Members that are not set mean the plain way. */
export interface EndpointTraits {
  /** Protocol where the configuration names none; default `chat_completions`. */
  readonly mode?: "responses" | "anthropic_messages";
  /** Name of the output cap in the body; default `max_tokens`. */
  readonly outputCap?: "max_tokens" | "max_completion_tokens";
  /** The system message is sent with the role `developer`. */
  readonly developerRole?: boolean;
  /** Form of reasoning settings. */
  readonly reasoning?: "reasoning" | "reasoning_effort" | "thinking" | "thinking_config";
  /** Assistant messages with calls need a `reasoning_content`; a space stands in for a missing one. */
  readonly padReasoning?: boolean;
  /** It may say `stop` although the answer was cut off. */
  readonly fakeStop?: boolean;
  /** It wants the model's reasoning back as `reasoning_content`. */
  readonly echoReasoning?: boolean;
  /**
   * It keeps what is marked: `blocks` marks blocks of the messages protocol, `parts` the last content part of messages of the chat protocol.
   * Without it the provider finds by itself what it knows already.
   */
  readonly cache?: "blocks" | "parts";
  /** Only models with such a name take marks. Default: all. */
  readonly cacheModels?: RegExp;
  /** Header that names the conversation, beside `prompt_cache_key` in the body. */
  readonly cacheHeader?: string;
  readonly defaultOutputCap?: number;
  /** `none`: thinking never goes back to it, signed or not. */
  readonly keepThinking?: "none";
  /** Further betas of the messages protocol. */
  readonly betas?: readonly string[];
  /** Its models are those of this vendor in the catalogue. */
  readonly vendor?: Vendor;
  /** It stands before other providers: new connections to it do not help. */
  readonly router?: boolean;
  /** Results of tools may hold pictures in the chat protocol; elsewhere they follow in a message of the user. */
  readonly resultImages?: boolean;
  /** It has a faster tier, asked for by `service_tier`. */
  readonly fast?: "service_tier";
}

export interface EndpointRow {
  /** Whole host, or with a leading dot the end of it. */
  readonly hosts?: readonly string[];
  /** Port on loopback, for servers that are known by it. */
  readonly port?: number;
  /** Provider ids. */
  readonly ids?: readonly string[];
  readonly endpoint: EndpointTraits;
}

/** The one place that looks at host names (core part, 3.6). First match wins; `providers.<id>.quirks` win over it. */
const ENDPOINTS: readonly EndpointRow[] = [
  {
    hosts: ["api.openai.com"],
    ids: ["openai"],
    endpoint: {
      vendor: "openai",
      mode: "responses",
      outputCap: "max_completion_tokens",
      reasoning: "reasoning_effort",
      fast: "service_tier",
    },
  },
  {
    hosts: ["api.anthropic.com"],
    ids: ["anthropic"],
    endpoint: { vendor: "anthropic", mode: "anthropic_messages", reasoning: "thinking", cache: "blocks" },
  },
  {
    hosts: ["api.x.ai"],
    ids: ["xai"],
    endpoint: { vendor: "xai", mode: "responses", reasoning: "reasoning_effort", cacheHeader: "x-grok-conv-id" },
  },
  { hosts: ["api.deepseek.com"], ids: ["deepseek"], endpoint: { padReasoning: true, echoReasoning: true } },
  {
    hosts: ["api.moonshot.ai", "api.moonshot.cn", "api.kimi.com"],
    ids: ["moonshot"],
    endpoint: { padReasoning: true, echoReasoning: true },
  },
  { hosts: ["api.xiaomimimo.com"], ids: ["mimo"], endpoint: { padReasoning: true, echoReasoning: true } },
  { hosts: [".minimax.io", ".minimaxi.com"], ids: ["minimax"], endpoint: { cache: "blocks" } },
  {
    hosts: [".dashscope.aliyuncs.com", "dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com"],
    ids: ["qwen"],
    endpoint: { cache: "parts" },
  },
  {
    hosts: ["openrouter.ai"],
    ids: ["openrouter", "router"],
    endpoint: { reasoning: "reasoning", router: true, cache: "parts", cacheModels: /claude|qwen/i },
  },
  { port: 11434, ids: ["ollama"], endpoint: { fakeStop: true } },
  { port: 1234, ids: ["lmstudio"], endpoint: {} },
  { port: 8080, ids: ["llamacpp"], endpoint: {} },
  { port: 8000, ids: ["vllm"], endpoint: {} },
];

/** Vendor whose own endpoint is at an address; undefined: another one, which may not serve all of its models. */
export const vendorOf = (baseUrl: string): Vendor | undefined => endpointOf("", baseUrl).vendor;

/** What is special about the endpoint at `baseUrl`, known to the user as `id`. */
export function endpointOf(
  id: string,
  baseUrl: string,
  quirks: Readonly<Record<string, unknown>> = {},
): EndpointTraits {
  return { ...knownEndpoint(id, baseUrl), ...fromQuirks(quirks) };
}

/** It is asked with each request of a conversation. */
const knownEndpoint = memo(
  (id: string, baseUrl: string) => ENDPOINTS.find((candidate) => matches(candidate, id, baseUrl))?.endpoint,
);

/** Protocol of an address that is configured without one (core part, 3.1). */
export function detectProtocol(baseUrl: string): string {
  const named = endpointOf("", baseUrl).mode;
  if (named !== undefined) return named;
  const path = URL.canParse(baseUrl) ? new URL(baseUrl).pathname.replace(/\/+$/, "") : "";
  return path.endsWith("/anthropic") ? "anthropic_messages" : "chat_completions";
}

function matches(row: EndpointRow, id: string, baseUrl: string): boolean {
  if (row.ids?.includes(id)) return true;
  if (!URL.canParse(baseUrl)) return false;
  const { hostname, port } = new URL(baseUrl);
  if (row.port !== undefined) return isLoopbackUrl(baseUrl) && port === String(row.port);
  return (row.hosts ?? []).some((host) => (host.startsWith(".") ? hostname.endsWith(host) : hostname === host));
}

/** Configuration spells the members in `snake_case`. */
function fromQuirks(quirks: Readonly<Record<string, unknown>>): EndpointTraits {
  return Object.fromEntries(
    Object.entries(quirks).map(([name, value]) => [
      name.replace(/_([a-z])/g, (_, c: string) => c.toUpperCase()),
      value,
    ]),
  );
}

/** Whether the address names this machine. Such endpoints are slow to answer and are given more time. */
export const isLoopbackUrl: (url: string) => boolean = memo((url) => {
  if (!URL.canParse(url)) return false;
  const host = new URL(url).hostname;
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
});
