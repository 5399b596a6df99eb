import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms, TurnId } from "../../base/units.js";
import type { Transcript } from "../../contracts/chat/chat.js";
import type { HookBus } from "../../contracts/hooks/hooks.js";
import type { MemoryTurns } from "../../contracts/memory/provider.js";
import type { ChatMessage, ModelChoice, ModelEvent, ModelFailure, ModelRequest } from "../../contracts/models/model.js";
import type { MessagePicture } from "../../contracts/models/pictures.js";
import type { AgentRuntime } from "../../contracts/runtimes/runtime.js";
import type { RedactStream } from "../../safety/redact/redact.js";
import type { ResultImage, ToolContext } from "../../tools/core/define.js";
import type { ToolEntry } from "../../tools/core/entry.js";
import type { Guardrails } from "../../tools/run/guardrails.js";
import type { CallOutcome } from "../../tools/run/pipeline.js";
import type { ContextNotice } from "../../tools/run/read.js";
import type { RepeatGuard } from "../transcript/resume.js";
import type { Steered } from "../transcript/steer.js";
import type { TurnCompaction } from "../transcript/turn-port.js";
import type { FileWatch } from "./file-watch.js";
import type { TurnUsage } from "./turn-usage.js";

/**
 * One request with the retry rules of the models; the last event is `done` or `failed`. `fallbackLeft`: another provider can take over, so that
 * limits are not waited for.
 */
export type AskModel = (
  choice: ModelChoice,
  request: ModelRequest,
  signal: AbortSignal,
  fallbackLeft?: boolean,
) => AsyncIterable<ModelEvent>;

/** Who serves a turn, and who did: the chosen model first, then the fallback chain (core part, 4.5). */
export interface ProviderChain {
  readonly choice: ModelChoice;
  /** Another provider can still be asked. */
  readonly left: boolean;
  /** Called before the first request: a primary that told a limit lately is passed over. */
  begin(tell: TellModelChange): Promise<void>;
  /** Continue with the next provider. False: none is left. */
  takeOver(
    failure: Pick<ModelFailure, "resetMs"> & { readonly class: string },
    tell: TellModelChange,
  ): Promise<boolean>;
  /** It told a limit: later turns pass it over until that is over. This turn does not go on with another. */
  hold?(failure: { readonly class: string; readonly retryAfterMs?: Ms }): void;
  /** The window that an overflow told holds from now on. */
  adopt(failure: ModelFailure): void;
  /** What failed before, for the last words of a turn: `m2 via p2 (rate_limit)`. */
  readonly tried: readonly string[];
}

/** How a change of the model is reported: one durable event and one line. */
export type TellModelChange = (kind: "fallback" | "notice", data: Readonly<Record<string, unknown>>) => Promise<void>;

/** Hooks of a turn, and what they learn of its place. */
export interface TurnHooks {
  readonly bus: HookBus;
  /** Tag of the platform, or the kind of front end. */
  readonly platform: string;
  /** Board task of a worker. */
  readonly task: string | null;
  /** Sender of the message on a platform. */
  readonly sender: string | null;
}

/** A program of another maker that works the turns of a conversation. */
export interface TurnRuntime {
  /** As settings spell it: `app-server`. */
  readonly id: string;
  readonly program: AgentRuntime;
  /** Directory that its threads belong to. */
  readonly cwd: string;
  /** Longest time that a turn works; 0: no limit. */
  readonly timeoutMs: Ms;
  /** A model that the user chose; absent: the program's own. */
  readonly model?: string;
  /** Our tools as the program calls them; absent: without tools. */
  readonly callback?: ProgramTools;
}

/** The callback tools of a conversation, as a turn lends itself to them (`callback-tools.ts`). */
export interface ProgramTools {
  /** Calls belong to this turn until the result is called; it resolves when none of them runs any more. */
  begin(
    turn: {
      readonly id: TurnId;
      readonly deps: TurnDeps;
      readonly signal: AbortSignal;
      readonly turnUsage: TurnUsage;
    },
    hooks?: { ended?(outcome: CallOutcome): void },
  ): () => Promise<void>;
}

/** Everything a turn needs. It does no I/O but through these. */
export interface TurnDeps {
  readonly transcript: Transcript;
  /** The model that was chosen for the turn; `choiceOf` says who serves at this moment. */
  readonly choice: ModelChoice;
  /** How hard it is to think, and whether the provider's faster tier is wanted. */
  readonly thinking?: Pick<ModelRequest, "effort" | "fast">;
  /** Works the turn in place of the model loop, while the chosen model has not been passed over. */
  readonly runtime?: TurnRuntime;
  /** Who takes over when it fails; absent: no fallback. */
  readonly failover?: ProviderChain;
  /** Makes the conversation smaller after an overflow. True: it is, and the request is worth repeating. Absent: nothing can be done. */
  makeRoom?(failure: ModelFailure, signal: AbortSignal): Promise<boolean>;
  /** Keeps the conversation within its window; absent: not kept. */
  readonly compaction?: TurnCompaction;
  /** The system prompt of the session, the same bytes in every request until a compaction. */
  readonly system: string;
  readonly ask: AskModel;
  /** Tools offered in this turn, in a stable order. The set does not change within the turn. */
  readonly tools: readonly ToolEntry[];
  /** Tools that the model reaches through `tool_call` only. */
  readonly deferred?: readonly ToolEntry[];
  /** Hooks; absent: none. */
  readonly hooks?: TurnHooks;
  /** The memory of a plugin; absent: without one. */
  readonly recollect?: MemoryTurns;
  readonly guard: Guardrails;
  /** Calls that were begun before the turn; absent: none. */
  readonly begun?: RepeatGuard;
  /** Directory for results that are too large for the conversation. */
  readonly resultDir: string;
  context(callId: string, signal: AbortSignal): ToolContext;
  /** Event that describes the present only (`text.delta`, `turn.phase`). */
  live(event: string, data: Readonly<Record<string, unknown>>): void;
  redact(text: string): string;
  /** The same for text that comes in pieces. */
  redactStream(): RedactStream;
  readonly clock: Clock;
  readonly log: Log;
  /** Model requests per turn (`agent.max_turns`). */
  readonly maxRounds: number;
  /** Known cost of the session in USD at which its turns end (`agent.max_cost_usd`); absent: no limit. */
  readonly maxCostUsd?: number;
  /** Known cost of the whole lineage so far; without it that of the session counts. */
  spentUsd?(): Promise<number>;
  /** Wall clock of the turn; 0: none. */
  readonly maxMs: Ms;
  /** Milliseconds that this turn has waited for people so far: they do not count. */
  waited?(): Ms;
  /** Instructions of the directories that calls touch are added to their results. */
  readonly directoryContext: boolean;
  /** Takes what a call showed into the files of the conversation, durably. Absent: it is not shown. */
  keepPictures?(images: readonly ResultImage[]): Promise<readonly MessagePicture[]>;
  /** What the user should know of context files, beside the event of the turn. */
  onNotice?(notice: ContextNotice): void;
  /** Words of the user that come while the turn runs. */
  readonly steer?: Steered;
  /** Checkpoints, and the record of changed files. */
  readonly files?: FileWatch;
  /** Say at the end which files did not change (`display.file_mutation_verifier`). */
  readonly verifyMutations: boolean;
  /** Say why an answer is missing or a fragment (`display.turn_completion_explainer`). */
  readonly explainCompletion: boolean;
}

export interface TurnInput {
  readonly text: string;
  readonly pictures?: readonly MessagePicture[];
  /** Names the request that asked for the turn. */
  readonly request?: string;
  /** Item of the queue that it was. */
  readonly item?: string;
  /** Messages for the wire only, after the newest user message (continuation notes). Never stored. */
  readonly wireOnly?: readonly ChatMessage[];
  /** What the user should know of the files in the system prompt. */
  readonly notices?: readonly ContextNotice[];
  /** Called once with the id of the turn, after the user message is durable. */
  readonly onTurn?: (turn: TurnId) => void;
}
