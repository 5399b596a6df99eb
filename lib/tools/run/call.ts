import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import type { CallStatus, Denied } from "../../contracts/chat/chat.js";
import type { ToolCall } from "../../contracts/models/model.js";
import type { CallInside } from "../core/call-inside.js";
import type { AnyTool, Effects, ResultImage, ToolContext } from "../core/define.js";
import type { ToolEntry } from "../core/entry.js";
import type { Guardrails } from "./guardrails.js";
import type { ContextNotice } from "./read.js";

/** What became of one call; `content` is what the transcript keeps and the model reads. */
export interface CallOutcome {
  readonly call: ToolCall;
  readonly content: string;
  readonly images?: readonly ResultImage[];
  readonly status: CallStatus;
  readonly durationMs: Ms;
  readonly filesChanged: readonly string[];
  readonly filesNotChanged: readonly string[];
  readonly exitCode?: number;
  readonly denied?: Denied;
  /** Denied on behalf of this call: by its children. */
  readonly deniedBelow?: readonly Denied[];
  /** It did not react to an interrupt: its result is no longer awaited. */
  readonly abandoned?: boolean;
  /** A terminal call of the board was accepted: the worker ends after this round. */
  readonly endsRun?: boolean;
  /** The call never reached a tool: the loop counts rounds of these (core part, 2.4). */
  readonly fault?: "unknown-tool" | "invalid-arguments" | "skipped-sibling";
  /** The sentence with which a guardrail ends the turn. */
  readonly halt?: string;
}

/** Calls that a tool makes: they have no message of their own. */
export interface InsideHooks {
  started(call: ToolCall, preview: string, outer: string): Promise<void>;
  ended(outcome: CallOutcome, outer: string): Promise<void>;
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
  /** Text in place of a call that was begun before the program ended; undefined: it may be begun. */
  readonly begun?: (call: ToolCall, readOnly: boolean) => string | undefined;
  readonly clock: Clock;
  /** `<AGENT_HOME>/cache/results/<lineage>`: made when first needed. */
  readonly resultDir: string;
  /** A name was repaired. */
  readonly notice?: (text: string) => void;
  /** What the runner of the turn does with calls that tools make themselves. */
  readonly inside?: InsideHooks;
  /** Gives a running tool its own calls; the pipeline sets it. */
  readonly callsOf?: (callId: string) => CallInside;
  /** Results are not cut. */
  readonly whole?: true;
  /** Runs a call when earlier ones that it conflicts with have ended, beside those of the same response. */
  readonly runWhen?: <T>(effects: Effects, work: () => Promise<T>) => Promise<T>;
  /** Present: instructions of the directories that calls touch are added to their results, and what the user should know of them is reported. */
  readonly directoryNotice?: (notice: ContextNotice) => void;
}

/** A call whose tool and arguments are known. */
export interface ReadyCall {
  readonly call: ToolCall;
  readonly tool: AnyTool;
  readonly params: unknown;
  /** Arguments with sorted keys. */
  readonly canonical: string;
  /** Arguments that the tool does not have. */
  readonly ignored: readonly string[];
  /** Sources of the request middleware that it has passed. */
  readonly trace?: readonly string[];
  /** Nothing is permitted before it resolves. */
  readonly begun?: Promise<void>;
}
