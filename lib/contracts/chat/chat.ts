/** Sessions, messages and turns as every part of the product sees them (core part, 2, 11). */

import type { EpochMs, SessionId, TurnId } from "../../base/units.js";
import type { ClaimRef } from "../board/board.js";
import type { ChatOrigin } from "../board/notify.js";
import type { EventOrigin } from "../board/platform-tag.js";
import type { PermissionsApi } from "../config/permissions.js";
import type { Replay, ToolCall, Usage } from "../models/model.js";
import type { MessagePicture } from "../models/pictures.js";
import type { ChildrenApi } from "./children.js";
import type { CompactApi, NextSegment, PreviousSegment, SideUse } from "./compact.js";
import type { FrontEnd } from "./front-end.js";
import type { GoalApi } from "./goal.js";
import type { SessionModelApi } from "./model.js";
import type { ChatPicturesApi } from "./pictures.js";
import type { ProcessesApi } from "./processes.js";
import type { PromptSize } from "./prompt-size.js";
import type { QuestionsApi } from "./questions.js";
import type { InterruptOptions, QueueApi } from "./queue.js";
import type { DeletedSession, StoredSessionsApi } from "./sessions.js";
import type { SessionTools, SessionToolsApi, ToolListing } from "./tools.js";
import type { UsageApi } from "./usage.js";
import type { WorkApi } from "./work.js";

/** Which front end or part talks in it; a tag: a chat of that platform. */
export type SessionSource =
  | "cli"
  | "workspace"
  | "inline"
  | "acp"
  | "worker"
  | "cron"
  | "subagent"
  | "tool"
  | "background"
  | EventOrigin;

export interface SessionRecord {
  readonly id: SessionId;
  readonly source: string;
  readonly profile: string;
  readonly lineage_root: SessionId;
  readonly parent_session_id: SessionId | null;
  readonly relation: string | null;
  readonly model: string;
  readonly provider: string;
  readonly system_prompt: string | null;
  readonly title: string | null;
  readonly title_source: "auto" | "user" | null;
  readonly cwd: string;
  readonly started_at: EpochMs;
  readonly last_active_at: EpochMs;
  readonly ended_at: EpochMs | null;
  readonly end_reason: string | null;
  readonly message_count: number;
  readonly tool_call_count: number;
  readonly api_call_count: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly reasoning_tokens: number;
  readonly last_prompt_tokens: number;
  /** What providers said the requests cost, in USD; null when none of them said anything. */
  readonly estimated_cost_usd: number | null;
  readonly archived: boolean;
  readonly ephemeral: boolean;
}

export type Role = "system" | "user" | "assistant" | "tool";
export type CallStatus = "ok" | "error" | "denied" | "blocked" | "cancelled" | "interrupted" | "skipped";

export interface NewMessage {
  readonly role: Role;
  readonly content: string;
  readonly toolCalls?: readonly ToolCall[];
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly status?: CallStatus;
  readonly durationMs?: number;
  readonly finishReason?: string;
  readonly reasoning?: string;
  /** Only for the provider that it came from: events, pages and exports are without it. */
  readonly replay?: Replay;
  /** Pictures of a message of the user, whose text names them as well, for models that see none; or those of a result. */
  readonly pictures?: readonly MessagePicture[];
}

export interface MessageRecord extends NewMessage {
  /** Grows, never reused. */
  readonly id: number;
  readonly session_id: SessionId;
  readonly turn_id: TurnId;
  /** Position within the session; a tool result has the position of its call, independent of the finish order. */
  readonly ordinal: number;
  readonly created_at: EpochMs;
  readonly active: boolean;
  /** What a compaction wrote: its summary, or what it told the model besides. Absent for what was said. */
  readonly kind?: "summary" | "note";
  /** Message of an earlier segment that this one repeats. */
  readonly copiedFrom?: number;
}

export interface OpenTurn {
  readonly turn_id: TurnId;
  readonly session_id: SessionId;
  readonly started_at: EpochMs;
  readonly draft: string;
  /** Run of the worker that works on it; null for a turn of the owner itself. */
  readonly run_id: number | null;
}

/** Further data stored in the same commit as messages. */
export interface Along {
  /** Counters of the request that gave them. */
  readonly usage?: { readonly of: Usage; readonly promptTokens: number };
  /** Data of an event `tool.started` for each call that has begun; they come between the first message and the others. */
  readonly begun?: readonly Readonly<Record<string, unknown>>[];
  /** An event that follows theirs; the member `result_message_id` of its data is the id of the last of them. */
  readonly event?: { readonly kind: string; readonly data: Readonly<Record<string, unknown>> };
  /** Words of the user for the running turn that the message delivers. */
  readonly steer?: string;
  /** A record of the lineage that is written with them. */
  readonly record?: { readonly name: string; readonly json: string };
}

/**
 * The durable record of one conversation. In the owner it writes the session store; in a worker it calls the owner. Every method resolves
 * when what it wrote is durable.
 */
export interface Transcript {
  readonly session: SessionRecord;
  /** A message with calls may be appended together with a result of them. Absent: it cannot, and `Along.begun` is not known. */
  readonly joins?: boolean;
  messages(): Promise<readonly MessageRecord[]>;
  /** Open the next turn and store the user message, in one commit. `request` names what asked for it, so that it can be found again; `item` leaves the queue with it. */
  beginTurn(message: NewMessage, request?: string, item?: string): Promise<{ turn: TurnId; message: MessageRecord }>;
  /** Store messages of an open turn, in one commit, in the order given, with what belongs to them. */
  append(turn: TurnId, messages: readonly NewMessage[], along?: Along): Promise<readonly MessageRecord[]>;
  /** Text that streams at this moment; replaced by the final message, kept as an interrupted one after a crash. */
  draft(turn: TurnId, text: string): Promise<void>;
  /** A durable event of the conversation (`tool.started`, `notice`, ...), of a turn or of none. */
  event(turn: TurnId | undefined, kind: string, data: Readonly<Record<string, unknown>>): Promise<void>;
  addUsage(turn: TurnId, usage: Usage, promptTokens: number): Promise<void>;
  setSystemPrompt(prompt: string, model: string, provider: string): Promise<void>;
  /** JSON text of a record of the lineage (`todo`, `goal`, `queue`, ...), or undefined. */
  record(name: string): Promise<string | undefined>;
  setRecord(name: string, json: string): Promise<void>;
  /** Go on in a new segment, in one commit; afterwards this is its transcript. @throws E_CONFLICT when another compaction was first */
  nextSegment(next: NextSegment): Promise<readonly MessageRecord[]>;
  /** Return to the segment before. @throws E_CONFLICT when this is no longer the newest one */
  previousSegment(previous: PreviousSegment): Promise<readonly MessageRecord[]>;
  /** Count a request of side work. */
  addSideUsage(use: SideUse, turn?: TurnId): Promise<void>;
  /** Close the turn: last commit, event `turn.ended`. */
  endTurn(turn: TurnId, result: TurnResult): Promise<void>;
}

export type ExitReason =
  | "text_response"
  | "interrupted_by_user"
  | "interrupted_during_api_call"
  | "budget_exhausted"
  | "max_iterations_reached"
  | "cost_limit_reached"
  | "time_limit_reached"
  | "empty_response_exhausted"
  | "all_retries_exhausted_no_response"
  | "partial_stream_recovery"
  | "fallback_prior_turn_content"
  | "content_policy_blocked"
  | "guardrail_halt"
  | "invalid_tool_calls"
  | "truncated"
  | "context_too_small"
  | "owner_stopped";

export interface Denied {
  readonly tool: string;
  readonly preview: string;
  readonly rule_to_allow: string;
}

/** Event `turn.ended`, last line of `--json` (core part, 2.5). */
export interface TurnResult {
  readonly final_response: string;
  readonly reasoning: string;
  readonly session_id: SessionId;
  readonly lineage_root: SessionId;
  readonly turn_id: TurnId;
  readonly completed: boolean;
  readonly failed: boolean;
  readonly partial: boolean;
  readonly interrupted: boolean;
  readonly exit_reason: ExitReason;
  readonly api_calls: number;
  readonly tool_calls: number;
  readonly denied: readonly Denied[];
  readonly files_changed: readonly string[];
  readonly files_not_changed: readonly { path: string; tool: string; error: string }[];
  readonly model: string;
  readonly provider: string;
  readonly base_url: string;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly reasoning_tokens: number;
  readonly total_tokens: number;
  readonly last_prompt_tokens: number;
  readonly context_window: number;
  /** What the provider said its answers cost, in USD; null when it said nothing. */
  readonly estimated_cost_usd: number | null;
  /** `estimated`: some answers of the turn came without a price. */
  readonly cost_status: "exact" | "estimated" | "unknown";
  /** `list prices`: of the catalogue or the settings, for at least one request whose provider reports no cost. */
  readonly cost_source: "provider" | "list prices" | null;
  /** A hook has changed the answer. */
  readonly response_transformed: boolean;
  readonly duration_ms: number;
  readonly error?: {
    readonly class: string;
    readonly message: string;
    readonly hint: string;
    /** How long the provider asked to wait. */
    readonly retry_after_ms?: number;
  };
  /** Thread of another program that worked the turn. */
  readonly thread_id?: string;
  /** Words for the turn that it did not take; they are the first of the queue. */
  readonly pending_steer?: string;
  /** The conversation is too large for its model, and compaction could not change that. */
  readonly compaction_exhausted?: boolean;
  /** The budget that was spent: how much of it, and how much there was. */
  readonly budget?: { readonly used: number; readonly max: number };
}

/** Event of a conversation as front ends get it (core part, 1.4). Without `seq` it describes the present only and may be merged or dropped. */
export interface ChatEvent {
  readonly event: string;
  readonly seq?: number;
  readonly session_id: SessionId;
  readonly turn_id?: TurnId;
  readonly at: EpochMs;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface SubmitTurn {
  /** Names the request of a client; `turnOf` finds the turn by it. */
  readonly request?: string;
  readonly session: SessionId;
  readonly text: string;
  /** Shown to models that see; the text names them. */
  readonly pictures?: readonly MessagePicture[];
  /** Options of this turn only; they override those of the open conversation and do not persist. */
  readonly options?: NewSession;
  readonly maxTurns?: number;
  /** Most that the session may cost in USD from the next request on. */
  readonly maxCostUsd?: number;
  /** Interrupts this turn, or takes the message back while it waits. */
  readonly signal?: AbortSignal;
  /** Interrupts it without waiting for anything. */
  readonly force?: AbortSignal;
  /** It continues an interrupted turn: calls that had started are not started again. */
  readonly resumes?: true;
  /** Called once the user message is durable, with the id of its turn. */
  readonly onTurn?: (turn: TurnId) => void;
  /** Called for what the user should know of the project's files; each is an event of the turn as well. */
  readonly onNotice?: (notice: { readonly level: "info" | "warning"; readonly text: string }) => void;
}

export interface NewSession {
  readonly source: SessionSource;
  readonly cwd: string;
  /** Environment of the front end; filtered before a tool's process gets it, kept in memory only. */
  readonly env: Readonly<Record<string, string>>;
  readonly profile?: string;
  readonly model?: string;
  readonly provider?: string;
  readonly toolsets?: readonly string[];
  /** Skills whose text stands in the prompt from the start; each of them exists. */
  readonly skills?: readonly string[];
  readonly title?: string;
  readonly ephemeral?: boolean;
  readonly yolo?: boolean;
  /** Snapshot directories before they are changed, regardless of the settings. */
  readonly checkpoints?: boolean;
  /** A new prompt is made without SOUL.md and the standing instructions of the project. */
  readonly ignoreRules?: boolean;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  /** Model requests that each turn may make. */
  readonly maxTurns?: number;
  /** Most that the session may cost in USD. */
  readonly maxCostUsd?: number;
  /** Chat on a messaging platform that the conversation is held in. */
  readonly origin?: ChatOrigin;
  /** Chat that wanted it, where it is held in none: of other conversations it sees what that chat may see. */
  readonly wantedBy?: ChatOrigin;
  /** Set for the conversation of a board worker. */
  readonly claim?: ClaimRef;
}

export interface SessionFilter {
  readonly source?: string;
  /** Only sessions of this directory. */
  readonly cwd?: string;
  /** Default: those that are not archived. */
  readonly archived?: boolean | "both";
  readonly limit?: number;
  readonly offset?: number;
  /** By the last activity, which is the default, or by the beginning; newest first. */
  readonly order?: "recent" | "created";
  readonly excludeSources?: readonly string[];
  readonly profile?: string;
  /** Messages of the newest segment. */
  readonly minMessages?: number;
  readonly maxMessages?: number;
  /** Only this conversation. */
  readonly lineage?: SessionId;
  /** Only these, by the roots of their lineages. */
  readonly among?: ReadonlySet<SessionId>;
}

export type ExportFormat = "md" | "json" | "jsonl";

/** What a shell line of a person has given. */
export interface ShellLine {
  /** Standard output and error, secrets masked, cut in the middle when long. */
  readonly output: string;
  readonly exit_code: number;
  /** Directory of the conversation's next command. */
  readonly cwd: string;
}

/** Sessions and turns of this owner. */
export interface ChatApi
  extends QueueApi,
    GoalApi<TurnResult>,
    StoredSessionsApi<SessionRecord, TurnResult>,
    ChildrenApi,
    CompactApi,
    ProcessesApi,
    SessionToolsApi,
    QuestionsApi,
    PermissionsApi,
    SessionModelApi,
    UsageApi,
    MirrorApi,
    ChatPicturesApi,
    WorkApi<SessionRecord> {
  /** `frontEnd`, here and below: who opens it. Default: this process. */
  create(input: NewSession, frontEnd?: FrontEnd): Promise<SessionRecord>;
  get(id: SessionId): Promise<SessionRecord | undefined>;
  /** Resolve an id, a unique beginning of one, or a title. @throws E_NOT_FOUND, E_AMBIGUOUS (`data.candidates`) */
  find(name: string): Promise<SessionRecord>;
  /** Open an existing session with the directory, environment and options of a front end; its next turn runs with them. */
  resume(id: SessionId, options: NewSession, frontEnd?: FrontEnd): Promise<SessionRecord>;
  /** For a caller that passes its options with each turn: an open conversation is unchanged. */
  visit(id: SessionId, options: NewSession, frontEnd?: FrontEnd): Promise<SessionRecord>;
  /** Whether the turns of a session keep checkpoints, by the options that it is open with. False where it is not open. */
  keepsCheckpoints(id: SessionId): Promise<boolean>;
  list(filter: SessionFilter): Promise<readonly (SessionRecord & { preview: string })[]>;
  /** Total number, regardless of the limit. */
  count(filter: SessionFilter): Promise<number>;
  messages(
    id: SessionId,
    page?: { before?: number; after?: number; limit?: number },
  ): Promise<readonly MessageRecord[]>;
  /** Queue a turn. Resolves with its result when it has ended; rejects when it could not start or was taken back. */
  submit(turn: SubmitTurn): Promise<TurnResult>;
  /** Run a shell line of a person in a conversation's terminal, uncaged and unasked. `tell`: the model reads its output with the next message. */
  shellLine(id: SessionId, command: string, tell: boolean): Promise<ShellLine>;
  /** The turn that a request of the last minutes has begun; undefined: it has begun none. */
  turnOf(id: SessionId, request: string): Promise<TurnId | undefined>;
  /** Measure the system prompt and tool schemas of a new session with these options. Creates nothing. */
  promptSize(options: NewSession): Promise<PromptSize>;
  /** What a session with these options, and these sets switched in it, is offered, and why not the rest. @throws E_USAGE when none of its toolsets exists */
  toolList(options: NewSession, switched?: SessionTools): Promise<ToolListing>;
  /** Acknowledged at once; false when there is nothing to interrupt. Pauses an active goal. */
  interrupt(id: SessionId, options?: InterruptOptions): Promise<boolean>;
  /** Remove the whole lineage for good. @throws E_STATE while a turn of it runs */
  delete(id: SessionId): Promise<DeletedSession>;
  /** Replace the title. @throws E_INVALID (empty, above 100 characters), E_CONFLICT (an open session has it) */
  rename(id: SessionId, title: string): Promise<SessionRecord>;
  /** The lineage of a session as text, every message of every segment once, in portions. */
  export(id: SessionId, format: ExportFormat): AsyncIterable<string>;
  search(
    query: string,
    limit: number,
  ): Promise<readonly { session_id: SessionId; message_id: number; role: Role; snippet: string; at: EpochMs }[]>;
  /** Newest durable event: the cursor to follow a session from now on. Without an id, of the kept sessions. */
  cursor(id?: SessionId): Promise<number>;
  /** Durable events of a session after `after` that are stored by now. Waits for nothing that is still to come. */
  storedEvents(id: SessionId, after: number): AsyncIterable<ChatEvent>;
  /** Events of a session after `after` (durable ones), then live ones. Ends on abort. */
  events(id: SessionId, after: number, signal: AbortSignal): AsyncIterable<ChatEvent>;
}

/** The verb about it; a part of the chat. */
interface MirrorApi {
  /**
   * Add a text that a chat was sent to its conversation, as the assistant's. Waits while a turn runs.
   *
   * @param about why it was sent, for the model
   * @throws E_NOT_FOUND, E_STATE when turns run one after the other
   */
  mirror(id: SessionId, text: string, about: string): Promise<void>;
}
