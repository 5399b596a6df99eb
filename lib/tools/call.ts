import type { Clock } from "../base/clock.js";
import type { Ms } from "../base/units.js";
import type { CallStatus, Denied } from "../proto/chat.js";
import type { ToolCall } from "../proto/model.js";
import type { ContextNotice } from "./context/read.js";
import type { AnyTool, ToolContext } from "./define.js";
import type { ToolEntry } from "./entry.js";
import type { Guardrails } from "./guardrails.js";

/** What became of one call; `content` is what the transcript keeps and the model reads. */
export interface CallOutcome {
  readonly call: ToolCall;
  readonly content: string;
  readonly status: CallStatus;
  readonly durationMs: Ms;
  readonly filesChanged: readonly string[];
  readonly filesNotChanged: readonly string[];
  readonly exitCode?: number;
  readonly denied?: Denied;
  /** A terminal call of the board was accepted: the worker ends after this round. */
  readonly endsRun?: boolean;
  /** The call never reached a tool: the loop counts rounds of these (core part, 2.4). */
  readonly fault?: "unknown-tool" | "invalid-arguments" | "skipped-sibling";
  /** The sentence with which a guardrail ends the turn. */
  readonly halt?: string;
}

export interface CallDeps {
  readonly tools: ReadonlyMap<string, AnyTool>;
  /** Tools that the model reaches through `tool_call`. */
  readonly deferred?: readonly ToolEntry[];
  /** Context of one call. Its `signal` is the one given here. */
  context(callId: string, signal: AbortSignal): ToolContext;
  /** Aborts on interrupt. */
  readonly signal: AbortSignal;
  readonly guard: Guardrails;
  readonly clock: Clock;
  /** `<AGENT_HOME>/cache/results/<lineage>`: made when first needed. */
  readonly resultDir: string;
  /** A name was repaired. */
  readonly notice?: (text: string) => void;
  /** Present: instructions of the directories that calls touch are added to their results, and what the user should know of them is told. */
  readonly directoryNotice?: (notice: ContextNotice) => void;
}
