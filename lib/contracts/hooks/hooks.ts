/** Hooks and middleware: code of plugins and programs of the user that watch or change what a turn does (extensions part, 5). */
import type { Ms } from "../../base/units.js";
import type { ChatMessage, ToolSchema } from "../models/model.js";

/** Version of the fields below; every callback gets it as `telemetry_schema_version`. */
export const TELEMETRY_SCHEMA_VERSION = 1;

/** One message of a conversation as hooks see it. */
export interface HookMessage {
  readonly role: string;
  readonly content: string;
  readonly name?: string;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
}

/** Ids of the call and of what it belongs to. */
export interface ToolCallFields {
  readonly tool_name: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Board task of a worker, else null. */
  readonly task_id: string | null;
  readonly session_id: string;
  readonly tool_call_id: string;
  readonly turn_id: string | null;
  /** Model request that asked for the call. */
  readonly api_request_id: string | null;
  /** Directory of the conversation. */
  readonly cwd: string;
}

/** Fields of `transform_tool_result`. */
export interface ToolResultFields extends ToolCallFields {
  readonly result: string;
  readonly duration_ms: number;
  /** `ok`, `error`, `denied`, `blocked`, `cancelled`, `interrupted` or `skipped`. */
  readonly status: string;
  readonly error_type: string | null;
  readonly error_message: string | null;
}

interface WithTrace {
  /** Sources of the request middleware that the call has passed, in order. */
  readonly middleware_trace: readonly string[];
}

interface TurnFields {
  readonly session_id: string;
  readonly task_id: string | null;
  readonly turn_id: string;
  readonly model: string;
  /** Where the conversation is held: `cli`, `tui`, `gateway`, `board`, ... or the tag of a platform. */
  readonly platform: string;
}

interface ApiRequestFields {
  readonly session_id: string;
  readonly task_id: string | null;
  readonly turn_id: string;
  readonly api_request_id: string;
  readonly model: string;
  readonly provider: string;
  readonly base_url: string;
  readonly api_mode: string;
  readonly message_count: number;
  readonly tool_count: number;
  readonly prompt_tokens_estimate: number;
}

/** Token counts of one model call. */
export interface HookUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly reasoning_tokens: number;
}

interface SubagentFields {
  readonly parent_session_id: string;
  readonly child_session_id: string;
  readonly role: string;
  readonly goal: string;
}

interface ApprovalFields {
  readonly command: string;
  readonly description: string;
  /** Classes and rules that made the call ask. */
  readonly pattern_keys: readonly string[];
  readonly session_key: string;
  /** Where the question is shown. */
  readonly surface: string;
}

/** A message from a platform, before it is known whether its sender is allowed. */
export interface GatewayEvent {
  readonly platform: string;
  readonly chat: {
    readonly id: string;
    readonly type: string;
    readonly name: string | null;
    readonly thread_id: string | null;
  };
  readonly sender: { readonly id: string | null; readonly name: string | null };
  readonly text: string;
  readonly attachments: readonly {
    readonly kind: string;
    readonly name: string | null;
    readonly mime: string | null;
    readonly size: number | null;
  }[];
}

/** Fields of each hook. */
export interface HookFields {
  readonly pre_tool_call: ToolCallFields & WithTrace;
  readonly post_tool_call: ToolResultFields & WithTrace;
  readonly transform_tool_result: ToolResultFields;
  readonly transform_terminal_output: {
    readonly command: string;
    readonly output: string;
    readonly returncode: number | null;
    readonly task_id: string | null;
    readonly session_id: string;
    /** `local`, `docker`, `ssh`, ... */
    readonly env_type: string;
    readonly cwd: string;
  };
  readonly transform_llm_output: {
    readonly response_text: string;
    readonly session_id: string;
    readonly model: string;
    readonly platform: string;
  };
  readonly pre_llm_call: TurnFields & {
    readonly user_message: string;
    readonly conversation_history: readonly HookMessage[];
    readonly is_first_turn: boolean;
    readonly sender_id: string | null;
  };
  readonly post_llm_call: TurnFields & {
    readonly user_message: string;
    readonly assistant_response: string;
    readonly conversation_history: readonly HookMessage[];
  };
  readonly pre_api_request: ApiRequestFields;
  readonly post_api_request: ApiRequestFields & {
    readonly usage: HookUsage | null;
    readonly duration_ms: number;
    readonly finish_reason: string;
  };
  readonly api_request_error: ApiRequestFields & {
    readonly duration_ms: number;
    readonly error: { readonly class: string; readonly message: string; readonly status: number | null };
  };
  readonly on_session_start: { readonly session_id: string; readonly model: string; readonly platform: string };
  readonly on_session_end: TurnFields & {
    readonly completed: boolean;
    readonly interrupted: boolean;
    readonly reason: string;
  };
  readonly on_session_finalize: { readonly session_id: string; readonly platform: string };
  readonly on_session_reset: { readonly session_id: string; readonly platform: string };
  readonly subagent_start: SubagentFields;
  readonly subagent_stop: SubagentFields & {
    readonly status: string;
    readonly summary: string;
    readonly duration_ms: number;
  };
  readonly pre_gateway_dispatch: { readonly event: GatewayEvent };
  readonly pre_approval_request: ApprovalFields;
  /** `choice`: `once`, `session`, `always`, `deny` or `timeout`. */
  readonly post_approval_response: ApprovalFields & { readonly choice: string };
}

export type HookName = keyof HookFields;

/**
 * What the answer of a hook is good for. `policy`: it decides and fails closed. `transform`: its string replaces the text. `context`: its text goes
 * to the model. `notice`: it is called and its answer ignored.
 */
const HOOK_KINDS: Readonly<Record<HookName, "policy" | "transform" | "context" | "notice">> = {
  pre_tool_call: "policy",
  post_tool_call: "notice",
  transform_tool_result: "transform",
  transform_terminal_output: "transform",
  transform_llm_output: "transform",
  pre_llm_call: "context",
  post_llm_call: "notice",
  pre_api_request: "notice",
  post_api_request: "notice",
  api_request_error: "notice",
  on_session_start: "notice",
  on_session_end: "notice",
  on_session_finalize: "notice",
  on_session_reset: "notice",
  subagent_start: "notice",
  subagent_stop: "notice",
  pre_gateway_dispatch: "policy",
  pre_approval_request: "notice",
  post_approval_response: "notice",
};

export const isHookName = (name: string): name is HookName => Object.hasOwn(HOOK_KINDS, name);

/** Hooks whose answer replaces a text. */
export type TransformName = "transform_tool_result" | "transform_terminal_output" | "transform_llm_output";
/** Hooks that are called and never waited for. */
export type NoticeName = Exclude<HookName, TransformName | "pre_tool_call" | "pre_gateway_dispatch" | "pre_llm_call">;

/** What happens to a message; absent answer: no hook decided. */
export interface DispatchDecision {
  readonly action: "skip" | "rewrite" | "allow";
  readonly text?: string;
  /** A hook failed, and the message is skipped for it: why, for the operator. */
  readonly failed?: string;
}

/** What a turn, a tool call or the gateway asks and tells. A call without listeners costs nothing: ask `has` before you put fields together. */
export interface HookBus {
  /** The point has listeners. */
  has(name: HookName): boolean;
  /** The first block wins; undefined: it may run. A hook that fails blocks, unless it was registered to fail open. */
  preToolCall(
    fields: HookFields["pre_tool_call"],
    signal?: AbortSignal,
  ): Promise<{ readonly block: string } | undefined>;
  preGatewayDispatch(
    fields: HookFields["pre_gateway_dispatch"],
    signal?: AbortSignal,
  ): Promise<DispatchDecision | undefined>;
  /** The first string wins; undefined: the text stays. For `transform_llm_output` an empty string does not count as an answer. */
  transform<N extends TransformName>(name: N, fields: HookFields[N], signal?: AbortSignal): Promise<string | undefined>;
  /** What all of them add to the message of the user, joined by blank lines; undefined: nothing. */
  preLlmCall(fields: HookFields["pre_llm_call"], signal?: AbortSignal): Promise<string | undefined>;
  /** Told through a bounded queue; never waited for. Lists in the fields must not change afterwards. */
  tell<N extends NoticeName>(name: N, fields: HookFields[N]): void;
  /** Middleware around calls; undefined when none is registered. */
  middleware<K extends MiddlewareKind>(kind: K): MiddlewareChain<K> | undefined;
}

interface CallIds {
  readonly session_id: string;
  readonly task_id: string | null;
  readonly turn_id: string | null;
  readonly api_request_id: string | null;
}

/** What goes into each kind of middleware and what `next` answers. */
export interface MiddlewareKinds {
  /** Changes the arguments: the call that comes out is the one that hooks, guards and the tool see. */
  readonly tool_request: { readonly call: ToolRequest; readonly result: ToolRequest };
  /** Runs the tool, or answers in its place. */
  readonly tool_execution: { readonly call: ToolRequest; readonly result: ToolExecution };
  /** Changes the request. */
  readonly llm_request: { readonly call: LlmRequest; readonly result: LlmRequest };
  /** Sends the request, or answers in its place. */
  readonly llm_execution: { readonly call: LlmRequest; readonly result: LlmExecution };
}
export type MiddlewareKind = keyof MiddlewareKinds;

export interface ToolRequest extends CallIds {
  readonly tool_name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly tool_call_id: string;
}

export interface ToolExecution {
  readonly result: string;
  readonly status: string;
}

export interface LlmRequest extends CallIds {
  readonly model: string;
  readonly provider: string;
  readonly base_url: string;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolSchema[];
  readonly max_output_tokens?: number;
  readonly temperature?: number;
}

export interface LlmExecution {
  readonly content: string;
  readonly reasoning: string;
  readonly finish_reason: string;
  readonly tool_calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly usage: HookUsage | null;
}

/** One middleware: gets a copy of the call, passes it or another one on with `next`, and answers. */
export type Middleware<K extends MiddlewareKind> = (
  call: MiddlewareKinds[K]["call"],
  next: (call: MiddlewareKinds[K]["call"]) => Promise<MiddlewareKinds[K]["result"]>,
) => MiddlewareKinds[K]["result"] | Promise<MiddlewareKinds[K]["result"]>;

/** All middleware of a kind, in registration order, around `last`. */
export interface MiddlewareChain<K extends MiddlewareKind> {
  readonly sources: readonly string[];
  /** @throws what a middleware throws, as an `AppError` that names it; the caller decides whether the unmodified call proceeds */
  run(
    call: MiddlewareKinds[K]["call"],
    last: (call: MiddlewareKinds[K]["call"]) => Promise<MiddlewareKinds[K]["result"]>,
    signal?: AbortSignal,
  ): Promise<MiddlewareKinds[K]["result"]>;
}

/** Gets a deep copy of the fields; may answer with a promise. The signal aborts when the answer is no longer awaited. */
export type HookCallback<N extends HookName = HookName> = (
  fields: HookFields[N] & { readonly telemetry_schema_version: typeof TELEMETRY_SCHEMA_VERSION },
  signal: AbortSignal,
) => unknown;

export interface HookOptions {
  /** Plugin or command that it belongs to, as errors name it. */
  readonly source: string;
  /** A policy hook that fails lets the call pass. */
  readonly failOpen?: boolean;
  /** In place of `plugins.hook_timeout_seconds`. */
  readonly timeoutMs?: Ms;
  /** Only calls that it accepts are handed over. Cheap. */
  readonly matches?: (fields: HookFields[HookName]) => boolean;
}

/** A registered hook, for lists. */
export interface RegisteredHook {
  readonly name: HookName;
  readonly source: string;
  readonly failOpen: boolean;
}

/** Where plugins and shell hooks register. Each call answers what takes the registration back. */
export interface HookRegistrations {
  /** An unknown name is accepted with a warning and never called. */
  add<N extends HookName>(name: N, callback: HookCallback<N>, options: HookOptions): () => void;
  addMiddleware<K extends MiddlewareKind>(kind: K, fn: Middleware<K>, source: string): () => void;
  list(): readonly RegisteredHook[];
}

/** Hooks of one process: what turns and the gateway call, and where plugins and shell hooks register. */
export interface Hooks extends HookBus, HookRegistrations {
  /** Waits until every notice so far has been handled; after `maxMs` the rest is dropped and what runs is ended. */
  close(maxMs: Ms): Promise<void>;
}

const nothing = async () => undefined;

/** The bus without listeners. */
export const NO_HOOKS: HookBus = {
  has: () => false,
  preToolCall: nothing,
  preGatewayDispatch: nothing,
  transform: nothing,
  preLlmCall: nothing,
  tell: () => undefined,
  middleware: () => undefined,
};
