import type { Clock } from "../base/clock.js";
import type { Log } from "../base/log.js";
import type { Ms, TurnId } from "../base/units.js";
import type { Transcript } from "../proto/chat.js";
import type { ChatMessage, ModelChoice, ModelEvent, ModelRequest, ToolCall } from "../proto/model.js";
import type { ContextNotice } from "../tools/context/read.js";
import type { ToolContext } from "../tools/define.js";
import type { ToolEntry } from "../tools/entry.js";
import type { Guardrails } from "../tools/guardrails.js";

/** One request with the retry rules of the models; the last event is `done` or `failed`. */
export type AskModel = (choice: ModelChoice, request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>;

/** Everything a turn needs. It does no I/O but through these. */
export interface TurnDeps {
  readonly transcript: Transcript;
  readonly choice: ModelChoice;
  /** The system prompt of the session, the same bytes in every request. */
  readonly system: string;
  readonly ask: AskModel;
  /** Tools offered in this turn, in a stable order. The set does not change within the turn. */
  readonly tools: readonly ToolEntry[];
  /** Tools that the model reaches through `tool_call` only. */
  readonly deferred?: readonly ToolEntry[];
  readonly guard: Guardrails;
  /** Directory for results that are too large for the conversation. */
  readonly resultDir: string;
  context(callId: string, signal: AbortSignal): ToolContext;
  /** Event that describes the present only (`text.delta`, `turn.phase`). */
  live(event: string, data: Readonly<Record<string, unknown>>): void;
  redact(text: string): string;
  reveal(call: ToolCall): ToolCall;
  readonly clock: Clock;
  readonly log: Log;
  /** Model requests per turn (`agent.max_turns`). */
  readonly maxRounds: number;
  /** Wall clock of the turn; 0: none. */
  readonly maxMs: Ms;
  /** Instructions of the directories that calls touch are added to their results. */
  readonly directoryContext: boolean;
  /** What the user should know of context files, beside the event of the turn. */
  onNotice?(notice: ContextNotice): void;
  /** Say at the end which files did not change (`display.file_mutation_verifier`). */
  readonly verifyMutations: boolean;
}

export interface TurnInput {
  readonly text: string;
  /** Names the request that asked for the turn. */
  readonly request?: string;
  /** Messages for the wire only, after the newest user message (continuation notes). Never stored. */
  readonly wireOnly?: readonly ChatMessage[];
  /** What the user should know of the files in the system prompt. */
  readonly notices?: readonly ContextNotice[];
  /** Called once with the id of the turn, after the user message is durable. */
  readonly onTurn?: (turn: TurnId) => void;
}
