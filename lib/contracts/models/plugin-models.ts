/** Models that a plugin brings (extensions part, 4.3): what it hands to `registerModelProvider`. */
import type { ChatMessage, ReasoningEffort, ToolSchema } from "./model.js";

export interface PluginModelRequest {
  readonly model: string;
  /** The conversation, oldest first; a copy. */
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolSchema[];
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly effort?: ReasoningEffort;
  /** Key of `providers.<name>`, where the settings have one. */
  readonly apiKey?: string;
  /** `base_url` of `providers.<name>`, else that of the provider; may be empty. */
  readonly baseUrl: string;
}

/** A piece of an answer. The answer is over when the plugin's stream ends. */
export type PluginModelEvent =
  | { readonly type: "text" | "reasoning"; readonly text: string }
  | {
      readonly type: "tool_call";
      readonly id?: string;
      readonly name: string;
      /** An object, or its JSON. */
      readonly arguments: unknown;
    }
  | {
      readonly type: "usage";
      readonly input: number;
      readonly output: number;
      readonly cacheRead?: number;
      readonly cacheWrite?: number;
      readonly reasoning?: number;
      readonly costUsd?: number;
    }
  /** The answer was cut off. */
  | { readonly type: "stop"; readonly reason: "length" | "content_filter" };

export interface PluginModelProvider {
  /** As `model.provider` and `/model <name>:<model>` spell it. */
  readonly name: string;
  readonly baseUrl?: string;
  readonly defaultModel?: string;
  /** Tokens that its models read. Default 128,000. */
  readonly contextLength?: number;
  /** Ids of its models; they are listed within five seconds. */
  models?(signal: AbortSignal): Promise<readonly string[]>;
  /** What it throws is the failure of the request; a number `status` is taken for the HTTP status of the answer. */
  stream(request: PluginModelRequest, signal: AbortSignal): AsyncIterable<PluginModelEvent>;
}
