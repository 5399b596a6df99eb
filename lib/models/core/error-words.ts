/** Lower-case parts of error texts, by what they mean (core part, 4.2). The providers' own words; they change without notice. */

/** The content was refused. */
export const POLICY = [
  "content_filter",
  "content_policy",
  "content policy",
  "usage policy",
  "usage policies",
  "safety system",
  "flagged as potentially",
  "was flagged",
  "responsible_ai_policy",
  "prohibited_content",
];

export const OVERFLOW = [
  "context length",
  "context_length",
  "context size",
  "maximum context",
  "token limit",
  "too many tokens",
  "reduce the length",
  "exceeds the limit",
  "context window",
  "prompt is too long",
  "prompt exceeds max length",
  "max_tokens",
  "maximum number of tokens",
  "max_model_len",
  "prompt length",
  "input is too long",
  "maximum model length",
  "truncating input",
  "slot context",
  "n_ctx_slot",
  "max input token",
  "input token",
];

export const RATE = [
  "rate limit",
  "rate_limit",
  "too many requests",
  "throttled",
  "requests per minute",
  "tokens per minute",
  "requests per day",
  "try again in",
  "please retry after",
  "resource_exhausted",
  "rate increased too quickly",
  "too many concurrent requests",
];

export const BILLING = [
  "insufficient credits",
  "insufficient_quota",
  "insufficient balance",
  "credit balance",
  "credits exhausted",
  "payment required",
  "billing hard limit",
  "exceeded your current quota",
  "account is deactivated",
  "plan does not include",
  "out of funds",
  "balance_depleted",
];

/** A 403 that is about money. */
export const FORBIDDEN_MONEY = ["key limit", "spending limit", "billing"];

/** A limit that goes away by itself. */
export const TRANSIENT = ["try again", "retry", "resets at", "reset in", "temporar"];

export const DATA_POLICY = ["data policy", "data_policy", "no endpoints found matching your data", "privacy settings"];

export const MODEL = [
  "model not found",
  "model_not_found",
  "no such model",
  "unknown model",
  "invalid model",
  "is not a valid model",
  "model does not exist",
  "does not exist or you do not have access",
  "not found, try pulling",
  "unsupported model",
];

export const PARAMETER = [
  "unknown parameter",
  "unsupported parameter",
  "unrecognized request argument",
  "unexpected keyword",
  "unknown field",
  "unsupported value",
  "extra inputs are not permitted",
  "invalid parameter",
];

export const GRAMMAR = ["json-schema-to-grammar", "json schema to grammar", "failed to parse grammar", "grammar"];
export const IMAGE = [
  "image exceeds",
  "image is too large",
  "image too large",
  "image dimensions",
  "image_too_large",
  "image size",
];
export const ENCRYPTED = ["encrypted content", "encrypted_content"];
export const PAYLOAD = ["request entity too large", "payload too large", "request too large", "error code: 413"];
export const AUTH = [
  "invalid api key",
  "invalid_api_key",
  "incorrect api key",
  "unauthorized",
  "authentication",
  "token expired",
];
export const TIMEOUT = ["timed out", "timeout", "deadline exceeded"];
export const DISCONNECT = [
  "server disconnected",
  "connection reset",
  "econnreset",
  "socket hang up",
  "connection closed",
  "connection lost",
  "peer closed",
  "incomplete chunked read",
  "network connection",
  "terminated",
  "unexpected eof",
  "ssl alert",
  "tls alert",
];
