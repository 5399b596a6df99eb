/** What the chat loop asks a model and what comes back, the same for every wire protocol. */
import type { Secret } from "../../base/secret.js";
import type { Ms } from "../../base/units.js";
import type { ImageData, MessagePicture } from "./pictures.js";

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text exactly as the model wrote it, repaired where the protocol part says so. */
  readonly arguments: string;
  /** Members of the call that must be sent back unchanged. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** What a provider wants back word for word with the next request: signed thinking, encrypted reasoning. Only its own wire reads it. */
export interface Replay {
  /** Address that gave it; it is dropped for any other. */
  readonly from: string;
  readonly reasoning_details?: readonly ReplayItem[];
  readonly responses_reasoning_items?: readonly ReplayItem[];
  readonly responses_message_items?: readonly ReplayItem[];
  /** In their order. A `tool_use` names its call and nothing more: what is sent is the stored call. */
  readonly anthropic_content_blocks?: readonly ReplayItem[];
}

export type ReplayItem = Readonly<Record<string, unknown>>;
export const REPLAY_PARTS = [
  "reasoning_details",
  "responses_reasoning_items",
  "responses_message_items",
  "anthropic_content_blocks",
] as const satisfies readonly (keyof Replay)[];

export type ChatMessage =
  | { readonly role: "system"; readonly content: string }
  | {
      readonly role: "user";
      readonly content: string;
      /** What came with it; `images` is what of it is sent. */
      readonly pictures?: readonly MessagePicture[];
      readonly images?: readonly ImageData[];
    }
  | {
      readonly role: "assistant";
      readonly content: string;
      readonly toolCalls?: readonly ToolCall[];
      readonly reasoning?: string;
      readonly replay?: Replay;
    }
  | {
      readonly role: "tool";
      readonly content: string;
      readonly toolCallId: string;
      readonly name: string;
      /** What the tool showed; `images` is what of it is sent. */
      readonly pictures?: readonly MessagePicture[];
      readonly images?: readonly ImageData[];
    };

export interface ToolSchema {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface ModelRequest {
  readonly requestId: string;
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolSchema[];
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  /** The same for all requests of a conversation: where what the provider has cached is looked for. */
  readonly cacheKey?: string;
  /** Estimate of the prompt; sets the limit for a silent stream and helps to tell an overflow from a malformed request. */
  readonly promptTokens?: number;
  /** Window of the model; the output cap stays below what the prompt leaves of it. */
  readonly window?: number;
  /** Key of this request, instead of the provider's own: one of a pool. */
  readonly apiKey?: Secret;
  /** How hard the model is to think; absent: as the endpoint likes. */
  readonly effort?: ReasoningEffort;
  /** Ask for the provider's faster tier, where it has one. */
  readonly fast?: boolean;
  /** What the endpoint refused and this request does without. */
  readonly without?: readonly RequestPart[];
}

export const REASONING_EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh"] as const;
export type ReasoningEffort = (typeof REASONING_EFFORTS)[number];

/** Parts of a request that some endpoints refuse; `schema_patterns`: `pattern` and `format` in the schemas of tools. */
export type RequestPart =
  | "signed_thinking"
  | "encrypted_reasoning"
  | "long_context_beta"
  | "schema_patterns"
  | "images";

export interface Usage {
  /** Uncached input tokens. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
  /** Cost of the request in USD; absent: unknown. */
  readonly costUsd?: number;
  /** The cost comes from list prices, because the provider reports none. */
  readonly estimated?: boolean;
}

/** USD per million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export const NO_USAGE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };

/** `incomplete`: the stream ended in good order in the middle of an answer, and not because of the output limit. */
export type FinishReason = "stop" | "tool_calls" | "length" | "content_filter" | "dropped" | "incomplete";

/** Core part, 4.2. */
export type ModelErrorClass =
  | "content_policy_blocked"
  | "auth"
  | "billing"
  | "rate_limit"
  | "overloaded"
  | "server_error"
  | "timeout"
  | "format_error"
  | "model_not_found"
  | "provider_policy_blocked"
  | "payload_too_large"
  | "context_overflow"
  | "empty_stream"
  | "aborted"
  | "thinking_signature"
  | "long_context_tier"
  | "oauth_long_context_beta_forbidden"
  | "grammar_pattern"
  | "multimodal_tool_content_unsupported"
  | "image_too_large"
  | "invalid_encrypted_content"
  /** Every key of a pool was refused or is used up. */
  | "credentials_exhausted"
  | "unknown";

export interface ModelFailure {
  readonly class: ModelErrorClass;
  readonly message: string;
  readonly status?: number;
  readonly retryAfterMs?: Ms;
  readonly retry: boolean;
  /** What to do about it, one sentence for the user. */
  readonly hint?: string;
  /** Compacting the conversation may help. */
  readonly compact?: boolean;
  /** Another provider may help. */
  readonly fallback?: boolean;
  /** Another key of the same provider may help. */
  readonly rotate?: boolean;
  /** How long the limit lasts, as the provider tells it anywhere. */
  readonly resetMs?: Ms;
  /** Tokens that the provider says the answer may have: a smaller output cap helps. */
  readonly outputRoom?: number;
  /** Window that the provider says the model has. */
  readonly toldWindow?: number;
  /** What was tried before it was given up, for one line to the user. */
  readonly tried?: readonly string[];
  /** The request was not answered, or the connection broke: the request itself was not judged. */
  readonly transport?: boolean;
  /** A tool call was being written when the stream broke. */
  readonly callInFlight?: boolean;
}

/** Failure is the last event of a stream, never a throw. Exactly one of `done` and `failed` ends it. */
export type ModelEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  | { readonly type: "tool.generating"; readonly name: string }
  | {
      readonly type: "done";
      readonly finish: FinishReason;
      readonly content: string;
      readonly reasoning: string;
      readonly toolCalls: readonly ToolCall[];
      readonly usage: Usage | undefined;
      readonly model: string;
      /** What goes back with the next request. */
      readonly replay?: Replay;
      /** With `finish: "dropped"`: a tool call was being written when the stream broke; it is not among `toolCalls`. */
      readonly callDropped?: boolean;
    }
  | { readonly type: "failed"; readonly failure: ModelFailure; readonly partial: string }
  /** Only from `askModel`: the request is repeated after `waitMs`. Shown as one line that is updated in place. */
  | {
      readonly type: "retry";
      /** Number of the attempt that comes next, from 2. */
      readonly attempt: number;
      readonly of: number;
      readonly cause: string;
      readonly waitMs: Ms;
      readonly class: ModelErrorClass;
    }
  /** Only with pictures: what another model has cost that described one of them, under the name of its slot. */
  | {
      readonly type: "side";
      readonly slot: string;
      readonly model: string;
      readonly provider: string;
      readonly usage: Usage;
    }
  /** Only from `askModel`: discard the text and reasoning streamed so far in this response; it starts over. */
  | { readonly type: "text.reset" };

/** What is particular to an endpoint and matters to readers of its answers. */
export interface ProviderTraits {
  /** It may say `stop` although the answer was cut off. */
  readonly fakeStop?: boolean;
  /** Its models announce work as an answer of its own. */
  readonly announces?: boolean;
  /** An answer cannot be begun for it. */
  readonly noPrefill?: boolean;
  /** Configured output cap in tokens. */
  readonly outputCap?: number;
  /** It has a faster tier. */
  readonly fast?: boolean;
  /** It stands before other providers: new connections to it do not help. */
  readonly router?: boolean;
}

export interface Provider {
  readonly id: string;
  readonly baseUrl: string;
  readonly traits?: ProviderTraits;
  /** Protocol that it speaks, as `api_mode` spells it. */
  readonly mode?: string;
  /** One request, one stream. Never throws; on abort it ends within 100 ms with `failed`, class `aborted`. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
  /** Ids that the endpoint offers; an empty list when it does not tell. */
  models(signal: AbortSignal): Promise<readonly string[]>;
}

/** One key of a pool, taken for one request with its repeats. Never shown. */
export interface KeyLease {
  /** Says which key it is, and nothing about it. */
  readonly id: string;
  readonly secret: Secret;
}

/** Several keys of one provider. Never used for another one. */
export interface KeyPool {
  readonly size: number;
  /** A key that can be used now and is not among `tried`; undefined: none is left. */
  lease(tried: ReadonlySet<string>): KeyLease | undefined;
  release(lease: KeyLease): void;
  /** A request goes out with it. */
  used(lease: KeyLease): void;
  succeeded(lease: KeyLease): void;
  /** `rotate`: go on with another key; `same`: with this one after a wait; `keep`: the key is not the cause. */
  failed(lease: KeyLease, failure: ModelFailure): "rotate" | "same" | "keep";
  /** Why `lease` gives none. */
  problem(): ModelFailure;
}

/** A login that pays for requests: each of them may have another bearer. */
export interface ModelLogin {
  /** Renewed where that is due; undefined: it is for another address. @throws AppError: what stands in the way; the signal's reason */
  bearer(signal: AbortSignal): Promise<Secret | undefined>;
  /** The provider refused the last one with 401. True: there is another one now. */
  refused(signal: AbortSignal): Promise<boolean>;
  /** A request with the last one was answered well. */
  worked(): void;
}

/** A provider with the model that a turn uses. */
export interface ModelChoice {
  /** Its server is configured nowhere: it was found on this machine. */
  readonly found?: true;
  readonly provider: Provider;
  readonly model: string;
  /** Context window in tokens. */
  readonly window: number;
  /** Used where the provider does not report what a request cost; absent: unknown. */
  readonly price?: ModelPrice;
  /** How it was chosen, for one line to the user; undefined when it was configured. */
  readonly notice?: string;
  /** Its keys, where it has several. */
  readonly keys?: KeyPool;
  /** What pays for it, where it has no keys. */
  readonly login?: ModelLogin;
}
