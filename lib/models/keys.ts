import { configKey } from "../contracts/config/config.js";
import type { CacheTtl } from "./core/cache-marks.js";
import { PROVIDER_IDS } from "./core/provider-ids.gen.js";
import { ROUTER_CACHE, ROUTER_CACHE_TTL } from "./router-cache.js";

/** `auto`: models that are known to see get pictures; `native`: all do; `text`: none does. */
const IMAGE_MODES = ["auto", "native", "text"] as const;
export type ImageMode = (typeof IMAGE_MODES)[number];

export const MODEL_DEFAULT = configKey<string>({
  key: "model.default",
  kind: { type: "string" },
  default: "",
  help: "Model of new sessions.",
});

export const MODEL_PROVIDER = configKey<string>({
  key: "model.provider",
  kind: { type: "string" },
  default: "auto",
  help: "auto, custom, offline, or a name under providers.",
});

export const MODEL_BASE_URL = configKey<string>({
  key: "model.base_url",
  kind: { type: "string" },
  form: "http_address",
  default: "",
  help: "Base URL of provider custom, up to but not including /chat/completions.",
});

export const CACHE_TTL = configKey<CacheTtl>({
  key: "prompt_caching.cache_ttl",
  kind: { type: "choice", of: ["5m", "1h"] },
  default: "5m",
  help: "Lifetime of the provider's prompt cache, if supported: 5m or 1h. 1h is more expensive to write.",
});

export const MODEL_API_KEY = configKey<string>({
  key: "model.api_key",
  kind: { type: "string" },
  default: "",
  secret: true,
  help: "Key for provider custom.",
});

export const MODEL_API_MODE = configKey<string>({
  key: "model.api_mode",
  kind: { type: "choice", of: ["", ...PROVIDER_IDS.filter((id) => id !== "offline")] },
  default: "",
  help: "Protocol of provider custom; empty detects it from the URL, else chat_completions.",
});

export const MODEL_CONTEXT_LENGTH = configKey<number>({
  key: "model.context_length",
  kind: { type: "integer", min: 0 },
  default: 0,
  help: "Context window in tokens (0 = ask the server and the catalog).",
});

export const MODEL_MAX_TOKENS = configKey<number>({
  key: "model.max_tokens",
  kind: { type: "integer", min: 0 },
  default: 0,
  help: "Maximum tokens of an answer (0 = the provider's default).",
});

export const MODEL_ALIASES = configKey<unknown>({
  key: "model.aliases",
  kind: { type: "any" },
  default: {},
  help: "Aliases: each a model, or {provider, model, base_url}.",
});

export const OLD_MODEL_ALIASES = configKey<unknown>({
  key: "model_aliases",
  kind: { type: "any" },
  default: {},
  help: "The same as model.aliases.",
});

export const MODEL_DETECT_LOCAL = configKey<boolean>({
  key: "model.detect_local",
  kind: { type: "boolean" },
  default: true,
  help: "Use a local model server when no provider is configured.",
});

export const PROVIDERS_KEY = configKey<unknown>({
  key: "providers",
  kind: { type: "any" },
  default: {},
  help: "Endpoints by name: base_url, api_key or key_env (or lists of them), api_mode, models, quirks, request_timeout_seconds, stale_timeout_seconds.",
});

export const AUXILIARY_KEY = configKey<unknown>({
  key: "auxiliary",
  kind: { type: "any" },
  default: {},
  help: "Models for auxiliary work by slot: provider, model, base_url, api_key, timeout in seconds, extra_body.",
});

export const REQUEST_TIMEOUT = configKey<number>({
  key: "model.request_timeout_seconds",
  kind: { type: "integer", min: 1 },
  default: 1800,
  env: "AGENT_API_TIMEOUT",
  help: "Timeout of a model request in seconds.",
});

export const STREAM_READ_TIMEOUT = configKey<number>({
  key: "model.stream_read_timeout_seconds",
  kind: { type: "integer", min: 1 },
  default: 120,
  env: "AGENT_STREAM_READ_TIMEOUT",
  help: "Seconds without a byte before a stream is considered broken; at least the stale limit.",
});

export const STREAM_STALE_TIMEOUT = configKey<number>({
  key: "model.stream_stale_timeout_seconds",
  kind: { type: "integer", min: 0 },
  default: 0,
  env: "AGENT_STREAM_STALE_TIMEOUT",
  help: "Seconds without an event before a stream is considered broken (0 = 180 to 300 by prompt size, none for local servers).",
});

export const STREAM_RETRIES = configKey<number>({
  key: "model.stream_retries",
  kind: { type: "integer", min: 0, max: 10 },
  default: 2,
  env: "AGENT_STREAM_RETRIES",
  help: "Retries of a request whose connection was lost before any text.",
});

export const API_MAX_RETRIES = configKey<number>({
  key: "agent.api_max_retries",
  kind: { type: "integer", min: 1, max: 20 },
  default: 3,
  help: "Attempts per model request.",
});

export const IMAGE_INPUT = configKey<ImageMode>({
  key: "agent.image_input_mode",
  kind: { type: "choice", of: IMAGE_MODES },
  default: "auto",
  help: "How images reach the model: auto (if it is known to support them), native (always), text (never; the model gets their paths).",
});

const watchdog = (name: string, env: string, help: string, fallback = 0) =>
  configKey<number>({ key: `model.${name}`, kind: { type: "integer", min: 0 }, default: fallback, env, help });

export const RESPONSES_FIRST_TIMEOUT = watchdog(
  "responses_first_event_timeout_seconds",
  "AGENT_RESPONSES_TTFB_TIMEOUT_SECONDS",
  "Seconds until the first event of a Responses endpoint (0 = 120, none for local servers).",
);

export const RESPONSES_PATIENT_ABOVE = watchdog(
  "responses_patient_above_tokens",
  "AGENT_RESPONSES_TTFB_DISABLE_ABOVE_TOKENS",
  "Prompt size in tokens above which that limit does not apply.",
  25_000,
);

export const RESPONSES_EVENT_TIMEOUT = watchdog(
  "responses_event_timeout_seconds",
  "AGENT_RESPONSES_EVENT_STALE_TIMEOUT_SECONDS",
  "Seconds between two events of a Responses endpoint (0 = 12 to 180 by prompt size, none for local servers).",
);

export const CALL_STALE_TIMEOUT = watchdog(
  "call_stale_timeout_seconds",
  "AGENT_API_CALL_STALE_TIMEOUT",
  "Seconds without answer content of a Responses call, regardless of other events (0 = 90 to 240 by prompt size, none for local servers).",
);

/** Every key of the models. */
export const MODEL_KEYS = [
  MODEL_DEFAULT,
  MODEL_PROVIDER,
  MODEL_BASE_URL,
  MODEL_API_KEY,
  MODEL_API_MODE,
  MODEL_CONTEXT_LENGTH,
  MODEL_MAX_TOKENS,
  MODEL_ALIASES,
  OLD_MODEL_ALIASES,
  MODEL_DETECT_LOCAL,
  PROVIDERS_KEY,
  AUXILIARY_KEY,
  REQUEST_TIMEOUT,
  STREAM_READ_TIMEOUT,
  STREAM_STALE_TIMEOUT,
  STREAM_RETRIES,
  RESPONSES_FIRST_TIMEOUT,
  RESPONSES_PATIENT_ABOVE,
  RESPONSES_EVENT_TIMEOUT,
  CALL_STALE_TIMEOUT,
  API_MAX_RETRIES,
  CACHE_TTL,
  ROUTER_CACHE,
  ROUTER_CACHE_TTL,
  IMAGE_INPUT,
] as const;
