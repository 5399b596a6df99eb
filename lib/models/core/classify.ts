import type { NetFailure } from "../../base/net/net.js";
import type { ModelErrorClass, ModelFailure } from "../../contracts/models/model.js";
import { type ErrorText, errorText } from "./error-text.js";
import {
  AUTH,
  BILLING,
  DATA_POLICY,
  DISCONNECT,
  ENCRYPTED,
  FORBIDDEN_MONEY,
  GRAMMAR,
  IMAGE,
  MODEL,
  OVERFLOW,
  PARAMETER,
  PAYLOAD,
  POLICY,
  RATE,
  TIMEOUT,
  TRANSIENT,
} from "./error-words.js";
import { LONG_CONTEXT_TIER, toldSizes } from "./told-sizes.js";

/** What is known about a request that failed. */
export interface Failed {
  readonly status?: number;
  /** Body of the answer, or the text of the error. */
  readonly body: string;
  readonly transport?: NetFailure;
  /** Size of the conversation, where it is known. */
  readonly promptTokens?: number;
  readonly messages?: number;
  readonly window?: number;
}

interface Seen extends Failed, ErrorText {}

/** What follows from a class. `once`: after its repair, one time. */
export interface Advice {
  readonly class: ModelErrorClass;
  readonly retry: boolean | "once";
  readonly compact?: boolean;
  readonly rotate?: boolean;
  readonly fallback?: boolean;
}

interface Rule {
  readonly row: number;
  readonly when: (seen: Seen) => boolean;
  readonly gives: Advice | ((seen: Seen) => Advice);
}

const has = (seen: Seen, words: readonly string[]) => words.some((word) => seen.words.includes(word));
const status = (code: number) => (seen: Seen) => seen.status === code;

/** What servers say of a model that they do not have: vLLM, Ollama and Anthropic each in their own words. */
const missingModel = (seen: Seen) =>
  has(seen, ["model"]) && has(seen, ["does not exist", "not found", "not_found_error"]);

const ADVICE = {
  policy: { class: "content_policy_blocked", retry: false, fallback: true },
  auth: { class: "auth", retry: false, rotate: true, fallback: true },
  entitlement: { class: "auth", retry: false, fallback: true },
  billing: { class: "billing", retry: false, rotate: true, fallback: true },
  rate: { class: "rate_limit", retry: true, rotate: true, fallback: true },
  format: { class: "format_error", retry: false, fallback: true },
  overflow: { class: "context_overflow", retry: true, compact: true },
  payload: { class: "payload_too_large", retry: true, compact: true },
  model: { class: "model_not_found", retry: false, fallback: true },
  dataPolicy: { class: "provider_policy_blocked", retry: false },
  overloaded: { class: "overloaded", retry: true, fallback: true },
  server: { class: "server_error", retry: true, fallback: true },
  timeout: { class: "timeout", retry: true, fallback: true },
  image: { class: "image_too_large", retry: "once" },
  unknown: { class: "unknown", retry: true, fallback: true },
} as const satisfies Record<string, Advice>;

/** A whole conversation so large that a vague error is likely to be about its size. */
function large(seen: Seen, share: number, least: { tokens: number; messages: number }): boolean {
  const tokens = seen.promptTokens ?? 0;
  const window = seen.window ?? 128_000;
  if (tokens > window * share) return true;
  return window <= 256_000 && (tokens > least.tokens || (seen.messages ?? 0) > least.messages);
}

const vagueAndLarge = (seen: Seen) => seen.message.length < 30 && large(seen, 0.4, { tokens: 80_000, messages: 80 });

function byWords(
  seen: Seen,
  order: readonly (readonly [words: readonly string[], advice: Advice])[],
  rest: Advice,
): Advice {
  return order.find(([words]) => has(seen, words))?.[1] ?? rest;
}

/** Core part, 4.2: first match wins. */
const RULES: readonly Rule[] = [
  { row: 1, when: (s) => has(s, POLICY), gives: ADVICE.policy },
  {
    row: 2,
    when: (s) => s.status === 400 && has(s, ["thinking"]) && has(s, ["signature", "cannot be modified", "must remain"]),
    gives: { class: "thinking_signature", retry: "once" },
  },
  {
    row: 3,
    when: (s) => s.status === 429 && has(s, ["extra usage"]) && has(s, ["long context"]),
    gives: { class: "long_context_tier", retry: true, compact: true },
  },
  {
    row: 4,
    when: (s) => s.status === 400 && has(s, ["long context beta"]) && has(s, ["not yet available"]),
    gives: { class: "oauth_long_context_beta_forbidden", retry: "once" },
  },
  { row: 5, when: (s) => s.status === 400 && has(s, GRAMMAR), gives: { class: "grammar_pattern", retry: "once" } },
  { row: 6, when: status(401), gives: ADVICE.auth },
  { row: 7, when: (s) => s.status === 403 && has(s, [...FORBIDDEN_MONEY, ...BILLING]), gives: ADVICE.billing },
  { row: 8, when: status(403), gives: ADVICE.entitlement },
  {
    row: 9,
    when: (s) => s.status === 402 && has(s, ["usage limit", "usage_limit"]) && has(s, TRANSIENT),
    gives: ADVICE.rate,
  },
  { row: 10, when: status(402), gives: ADVICE.billing },
  {
    row: 11,
    when: status(404),
    gives: (s) =>
      byWords(
        s,
        [
          [BILLING, ADVICE.billing],
          [DATA_POLICY, ADVICE.dataPolicy],
          [MODEL, ADVICE.model],
        ],
        missingModel(s) ? ADVICE.model : { class: "unknown", retry: true },
      ),
  },
  { row: 12, when: status(413), gives: ADVICE.payload },
  { row: 13, when: status(429), gives: ADVICE.rate },
  {
    row: 14,
    when: (s) =>
      s.status === 400 && has(s, ["tool"]) && has(s, ["content must be a string", "content should be a string"]),
    gives: { class: "multimodal_tool_content_unsupported", retry: "once" },
  },
  { row: 15, when: (s) => s.status === 400 && has(s, IMAGE), gives: ADVICE.image },
  {
    row: 16,
    when: (s) => s.status === 400 && has(s, ENCRYPTED),
    gives: { class: "invalid_encrypted_content", retry: "once" },
  },
  { row: 17, when: (s) => s.status === 400 && has(s, PARAMETER), gives: ADVICE.format },
  { row: 18, when: (s) => s.status === 400 && (has(s, OVERFLOW) || vagueAndLarge(s)), gives: ADVICE.overflow },
  {
    row: 19,
    when: status(400),
    gives: (s) =>
      byWords(
        s,
        [
          [DATA_POLICY, ADVICE.dataPolicy],
          [MODEL, ADVICE.model],
          [RATE, ADVICE.rate],
          [BILLING, ADVICE.billing],
        ],
        ADVICE.format,
      ),
  },
  { row: 20, when: (s) => (s.status === 500 || s.status === 502) && has(s, PARAMETER), gives: ADVICE.format },
  { row: 21, when: (s) => s.status === 503 || s.status === 529, gives: ADVICE.overloaded },
  { row: 21, when: (s) => (s.status ?? 0) >= 500, gives: ADVICE.server },
  { row: 21, when: (s) => (s.status ?? 0) >= 400, gives: ADVICE.format },
  {
    row: 22,
    when: (s) => s.transport === undefined && byCode(s) !== undefined,
    gives: (s) => ({ ...(byCode(s) ?? ADVICE.unknown), fallback: true }),
  },
  {
    row: 23,
    when: (s) => has(s, DISCONNECT) && large(s, 0.6, { tokens: 120_000, messages: 200 }),
    gives: ADVICE.overflow,
  },
  { row: 24, when: (s) => s.transport !== undefined || has(s, DISCONNECT), gives: ADVICE.timeout },
  { row: 25, when: () => true, gives: ADVICE.unknown },
];

/** Without a status: the words decide, in this order. */
function byCode(seen: Seen): Advice | undefined {
  const order = [
    [PAYLOAD, ADVICE.payload],
    [IMAGE, ADVICE.image],
    [BILLING, ADVICE.billing],
    [RATE, ADVICE.rate],
    [OVERFLOW, ADVICE.overflow],
    [AUTH, ADVICE.auth],
    [MODEL, ADVICE.model],
    [["overloaded", "server is busy"], ADVICE.overloaded],
    [TIMEOUT, ADVICE.timeout],
  ] as const;
  return order.find(([words]) => has(seen, words))?.[1];
}

/** The class of a failed request and what may help. */
export function classify(failed: Failed): Advice {
  const seen: Seen = { ...failed, ...errorText(failed.body) };
  const rule = RULES.find((candidate) => candidate.when(seen));
  if (!rule) return ADVICE.unknown;
  return typeof rule.gives === "function" ? rule.gives(seen) : rule.gives;
}

/** What the user can do, by class. */
const HINTS: Partial<Record<ModelErrorClass, string>> = {
  auth: "check the key: agent doctor shows the provider and the source of its key",
  billing: "the provider requires payment; add credit, or choose another model with /model",
  rate_limit: "wait, or choose another model with /model",
  overloaded: "the provider is busy; retry in a minute, or choose another model with /model",
  server_error: "the provider failed; retry, or choose another model with /model",
  model_not_found: "the provider does not know this model; /model lists its models",
  context_overflow: "the conversation is too long for the model: /compress, /new, or a model with a larger window",
  payload_too_large: "the request is too large: /compress or /new",
  content_policy_blocked: "the provider rejected the content; rephrase it, or choose another model with /model",
  provider_policy_blocked:
    "the account's data policy excludes this model; change it at the provider, or choose another model",
  format_error: "the provider rejects the request; check model.base_url, model.api_mode and the model name",
  timeout: "check that the server is running and model.base_url is correct",
  credentials_exhausted: "wait, add another key, or add a fallback provider with agent fallback add",
  unknown: "the request is in sessions/request_dump_<session>_<n>.json in the home; agent doctor checks the provider",
};

/** A path that the server does not have: the address is wrong more often than anything else. */
const NO_SUCH_PATH = "check model.base_url and model.api_mode: nothing found at this address";

const UNREACHED: Partial<Record<NetFailure, string>> = {
  dns: "check the host name in model.base_url and the network",
  tls: "check the server's certificate, or whether model.base_url should start with http://",
  blocked: "choose another address; this one is blocked",
  protocol: "not a model server; check model.base_url",
};

const hintFor = ({ status }: Failed, kind: ModelErrorClass): string | undefined =>
  status === 404 && kind === "unknown" ? NO_SUCH_PATH : HINTS[kind];

/** The failure of a request as the chat loop gets it. */
export function toFailure(
  failed: Failed,
  extra: { retryAfterMs?: number; resetMs?: number; prefix?: string } = {},
): ModelFailure {
  const advice = classify(failed);
  const { message, code } = errorText(failed.body);
  const head = failed.status === undefined ? "" : `HTTP ${failed.status}: `;
  const said = message || code || "no explanation";
  const hint =
    (failed.transport === undefined ? undefined : UNREACHED[failed.transport]) ?? hintFor(failed, advice.class);
  return {
    class: advice.class,
    message: `${extra.prefix ?? ""}${head}${said}`,
    retry: advice.retry === true && failed.transport !== "blocked",
    ...(failed.status === undefined ? {} : { status: failed.status }),
    ...(extra.retryAfterMs === undefined ? {} : { retryAfterMs: extra.retryAfterMs }),
    ...(extra.resetMs === undefined ? {} : { resetMs: extra.resetMs }),
    ...(hint === undefined ? {} : { hint }),
    ...(advice.compact ? { compact: true } : {}),
    ...(advice.fallback ? { fallback: true } : {}),
    ...(advice.rotate ? { rotate: true } : {}),
    ...(advice.class === "context_overflow" ? toldSizes(errorText(failed.body).words) : {}),
    ...(advice.class === "long_context_tier" ? { toldWindow: LONG_CONTEXT_TIER } : {}),
    ...(failed.transport === undefined ? {} : { transport: true }),
  };
}
