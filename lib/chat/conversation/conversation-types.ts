import type { Home } from "../../base/home.js";
import type { Log } from "../../base/log/log.js";
import type { SessionId, TurnId } from "../../base/units.js";
import type { EditorFiles } from "../../contracts/acp/editor-files.js";
import type { ChatOrigin } from "../../contracts/board/notify.js";
import type { SessionRecord, ShellLine, Transcript, TurnResult } from "../../contracts/chat/chat.js";
import type { CompactionEnded, CompactionUndone } from "../../contracts/chat/compact.js";
import type { PromptSource } from "../../contracts/chat/prompt-source.js";
import type { QueueNotice } from "../../contracts/chat/queue.js";
import type { RecallPort } from "../../contracts/chat/recall.js";
import type { ContextReport } from "../../contracts/chat/usage.js";
import type { Config } from "../../contracts/config/config.js";
import type { TurnReach } from "../../contracts/gateway/reach.js";
import type { HookBus } from "../../contracts/hooks/hooks.js";
import type { MemoryTurns } from "../../contracts/memory/provider.js";
import type { AuxClient } from "../../contracts/models/auxiliary.js";
import type { ChatMessage, ModelChoice } from "../../contracts/models/model.js";
import type { ModelLine } from "../../contracts/models/model-line.js";
import type { MessagePicture, PicturedText } from "../../contracts/models/pictures.js";
import type { CheckpointTaker } from "../../contracts/owner/checkpoints.js";
import type { CallbackTools } from "../../contracts/runtimes/callback.js";
import type { Lineage, RedactStream, ResolvedText } from "../../safety/redact/redact.js";
import type { BoardPort } from "../../tools/core/board-port.js";
import type { Permission, PermissionAnswer, ResultImage, ToolPorts } from "../../tools/core/define.js";
import type { ChildrenPort } from "../../tools/core/delegate-port.js";
import type { ToolEntry } from "../../tools/core/entry.js";
import type { ToolRegistry } from "../../tools/registry/tool-registry.js";
import type { ContextNotice } from "../../tools/run/read.js";
import type { CallPlace } from "../approvals/call.js";
import type { newTurnFacts } from "../approvals/turn-facts.js";
import type { ManualWish } from "../compaction/compactor.js";
import type { Summariser } from "../compaction/summary.js";
import type { MentionedTask, MentionLookups } from "../mentions/define.js";
import type { ToolSelection } from "../prompt/tool-selection.js";
import type { Asker } from "../questions/asker.js";
import type { LineageEntries } from "../transcript/lineage-resources.js";
import type { Steered } from "../transcript/steer.js";
import type { AskModel, TurnRuntime } from "../turn/turn-types.js";

/** A model as the user asked for it; what is left out is as configured. */
export interface WantedModel {
  readonly model?: string;
  readonly provider?: string;
  readonly baseUrl?: string;
  /** Empty: none, whatever the configuration has. */
  readonly apiKey?: string;
}

/** What a program of another maker is opened for. */
export interface RuntimeAsked {
  /** Provider that serves the turn. */
  readonly provider: string;
  /** Directory and environment of the conversation. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Our tools as the program calls them. */
  readonly tools: CallbackTools;
}

/** A program that was opened for one conversation. It is closed with it. */
export interface OpenRuntime extends Pick<TurnRuntime, "id" | "program" | "timeoutMs"> {
  close(): Promise<void>;
}

/** What every conversation of a process shares. */
export interface ConversationDeps {
  readonly home: Home;
  readonly ports: ToolPorts;
  readonly config: Config;
  readonly log: Log;
  /** @throws E_MODEL when no provider can serve what is wanted */
  choose(wanted: WantedModel): Promise<ModelChoice>;
  readonly ask: AskModel;
  /**
   * Opens the program that works the turns of a conversation in place of the model loop; undefined: none does. Asked once for each provider
   * that serves a conversation, so that a change of the settings holds from the next one on. Children and reviews never ask.
   */
  runtimeFor?(asked: RuntimeAsked): Promise<OpenRuntime | undefined>;
  /** Who takes over when the chosen model fails; absent: no fallback. */
  line?(choice: ModelChoice): Promise<ModelLine>;
  readonly tools: ToolRegistry;
  /** Hooks and middleware of this process; absent: none. */
  readonly hooks?: HookBus;
  /** Side work of models; absent: the model of the conversation does it. */
  readonly side?: AuxClient["ask"];
  /** Writes the summaries of all conversations of the process; absent: each has its own. */
  readonly summariser?: Summariser;
  /** Takes the pictures that a text mentions into the files of a lineage, durably; the text then names them. Absent: mentions stay words. */
  pictured?(text: string, lineage: SessionId): Promise<PicturedText>;
  /** Takes pictures of results into the files of a lineage, durably. Absent: they are not shown. */
  keepPictures?(images: readonly ResultImage[], lineage: SessionId): Promise<readonly MessagePicture[]>;
  /** A task of the board that the user at the machine names, wherever it is; absent: no board. @throws E_NOT_FOUND, E_AMBIGUOUS */
  namedTask?(given: string, env: Readonly<Record<string, string>>): Promise<MentionedTask>;
  /** Parts of the system prompt beside those of the conversation: skills, memory. */
  readonly promptSources?: readonly PromptSource[];
  /** The memory of a plugin; absent: without one. */
  readonly recollect?: MemoryTurns;
  /** What a directory of code looks like at this moment, for the system prompt. */
  summary?(cwd: string, env: Readonly<Record<string, string>>): Promise<string>;
}

/** What is particular to one conversation. */
export interface ConversationInput {
  readonly transcript: Transcript;
  /** Directory that relative paths and the first command start in. */
  readonly cwd: string;
  /** Environment of the front end, unfiltered. In memory only. */
  readonly env: Readonly<Record<string, string>>;
  readonly wanted: WantedModel;
  /** Empty: `toolsets` of the settings. */
  readonly toolsets: readonly string[];
  readonly boardTools: ReadonlySet<string>;
  readonly board?: BoardPort;
  /** Chat on a messaging platform that it is held in. */
  readonly origin?: ChatOrigin;
  /** Earlier conversations; absent where they cannot be reached. */
  readonly recall?: RecallPort;
  /** What a message may name; absent: nothing but files, changes and pages. */
  readonly lookups?: MentionLookups;
  /** What it reaches of the home; absent: everything. */
  readonly reach?: TurnReach;
  /** Known cost of the whole lineage in USD. */
  spentUsd?(): Promise<number>;
  /** Guidance for a board worker, put into the system prompt. */
  readonly worker?: string;
  /** Slug of the board of a worker. */
  readonly boardSlug?: string;
  /** Skills whose text stands in the prompt from the start. */
  readonly skills?: readonly string[];
  /** Text of a child in place of the identity; it gets no standing instructions in its prompt. */
  readonly child?: string;
  /** The conversation that sent it to work and gets its answer; it learns what this one has read of others. */
  heardBy?(): Promise<void>;
  /** Outlives the conversation: its background processes. Absent: they end with it. */
  readonly resources?: LineageEntries;
  /** Puts a notice of something that has ended into the queue. */
  readonly notice?: QueueNotice;
  /** Why a tool is not for this conversation. */
  readonly withheld?: (entry: ToolEntry) => string | undefined;
  /** Sends other conversations to work; absent where that is not possible. */
  readonly children?: ChildrenPort;
  /** Leave out SOUL.md and the standing instructions of project and directories. */
  readonly ignoreRules?: boolean;
  /** Rejects when the call is interrupted while it waits for an answer. */
  permit(permission: Permission, call: CallPlace): Promise<PermissionAnswer>;
  /** The way to its user; absent: without one. */
  readonly asker?: Asker;
  redact(text: string): string;
  redactStream(): RedactStream;
  /** What stands for its secrets. */
  readonly placeholders: Lineage;
  /** Puts the true values in the place of placeholders, for what is run or written. What is stored and shown keeps them. */
  reveal(text: string): ResolvedText;
  live(event: string, data: Readonly<Record<string, unknown>>): void;
  /** Who keeps the state of directories before they are changed, while that is wanted. */
  checkpoints?(): CheckpointTaker | undefined;
  /** Files of the editor that shows it at this moment; undefined: none does. */
  editor?(): EditorFiles | undefined;
}

export interface TurnRequest {
  readonly text: string;
  readonly pictures?: readonly MessagePicture[];
  /** Names the request of a client that asked for the turn. */
  readonly request?: string;
  /** Item of the queue that it was; it leaves the queue with the commit that stores the message. */
  readonly item?: string;
  /** Messages for the wire only, behind the message. */
  readonly wireOnly?: readonly ChatMessage[];
  readonly maxTurns?: number;
  readonly maxCostUsd?: number;
  /** It goes on where a turn was cut off: calls that were begun before are not begun again. */
  readonly resumes?: true;
  /** Its text is not what a user has said: what it mentions stays words. */
  readonly news?: true;
  /** Words of the user that come while it runs. */
  readonly steer?: Steered;
  /** Aborts when nothing may be waited for any more: what runs is killed at once. */
  readonly force?: AbortSignal;
  readonly onTurn?: (turn: TurnId) => void;
  /** What the user should know of files that this turn uses; they are events of the turn as well. */
  readonly onNotice?: (notice: ContextNotice) => void;
}

/** One conversation that is open in this process: its tools keep their state between turns. The caller runs one turn at a time. */
export interface Conversation {
  run(request: TurnRequest, signal: AbortSignal): Promise<TurnResult>;
  readonly cwd: string;
  /** Another process has changed the stored conversation: continue with what is stored now. */
  follow(transcript: Transcript): void;
  /** As its turns have left it: they give it a prompt and counters, and compaction another segment. */
  readonly session: SessionRecord;
  /** A text of the user as it may be stored beside the turns; its placeholders are stored already. */
  keepable(text: string): Promise<string>;
  /** Run a shell line of the user beside whatever runs. `tell`: its output goes to the model with the next message. */
  shellLine(command: string, options: { readonly tell: boolean; readonly signal: AbortSignal }): Promise<ShellLine>;
  /** Compaction that the user asks for, while no turn runs. @throws E_STATE when there is too little to compact */
  compact(wish: ManualWish, signal: AbortSignal): Promise<CompactionEnded>;
  /** What fills its next request. Changes nothing, beside whatever runs. */
  context(): Promise<Omit<ContextReport, "last_request">>;
  /** @throws E_STATE without a compaction to undo, or when the conversation would no longer fit its window */
  uncompact(): Promise<CompactionUndone>;
  /** Ends background processes of its tools. Harmless twice. */
  close(): Promise<void>;
}

/** What holds for the turn that runs. */
export interface CurrentTurn {
  offer: ToolSelection | undefined;
  turn: TurnId | undefined;
  force: AbortSignal | undefined;
  facts: ReturnType<typeof newTurnFacts>;
}
