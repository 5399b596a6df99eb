/** What the agent offers as an MCP server, and the commands of `agent mcp` that run in the process of their caller (extensions part, 3). */
import type { Ms } from "../../base/units.js";
import type { OpenQuestion } from "../chat/questions.js";
import type { ChatAttachment, ChatConversation, ConversationFilter, SaidMessage } from "../gateway/conversations.js";
import type { KnownTarget, SentMessage } from "../gateway/messages.js";
import type { McpTestOutcome } from "./mcp.js";

/** Something that happened, as the owner reported it. `cursor` grows and names it for good. */
export interface ServedEvent {
  readonly cursor: number;
  readonly kind: "message" | "approval_requested" | "approval_resolved";
  /** Chat that it happened in; null: in a conversation that no chat is in. */
  readonly session_key: string | null;
  readonly session_id: string;
  /** ISO 8601 in UTC. */
  readonly at: string;
  /** A message with `id`, `role` and `text`; an approval with `id`, what it asks for, or how it was answered. */
  readonly data: Readonly<Record<string, unknown>>;
}

export interface EventFilter {
  readonly after: number;
  readonly sessionKey?: string | undefined;
}

export type ServedDecision = "allow-once" | "allow-always" | "deny";

/** The owner as the MCP server sees it. Every method throws E_OWNER when no owner runs. */
export interface ServedAgent {
  conversations(filter: ConversationFilter, signal: AbortSignal): Promise<readonly ChatConversation[]>;
  /** @throws E_NOT_FOUND, here and below for an unknown key */
  conversation(sessionKey: string, signal: AbortSignal): Promise<ChatConversation>;
  messages(sessionKey: string, limit: number, signal: AbortSignal): Promise<readonly SaidMessage[]>;
  attachments(sessionKey: string, message: number, signal: AbortSignal): Promise<readonly ChatAttachment[]>;
  /** Events that are known by now. `next`: the cursor to go on from. */
  events(
    filter: EventFilter,
    limit: number,
    signal: AbortSignal,
  ): Promise<{ readonly events: readonly ServedEvent[]; readonly next: number }>;
  /** The first event after the cursor; waits for one. Undefined: none came in time. */
  nextEvent(filter: EventFilter, waitMs: Ms, signal: AbortSignal): Promise<ServedEvent | undefined>;
  send(target: string, text: string, signal: AbortSignal): Promise<SentMessage>;
  channels(platform: string | undefined, signal: AbortSignal): Promise<readonly KnownTarget[]>;
  approvals(signal: AbortSignal): Promise<readonly Extract<OpenQuestion, { kind: "approval" }>[]>;
  /** @throws E_NOT_FOUND, E_ALREADY_RESOLVED, E_INVALID when the question does not offer the answer */
  respond(id: string, decision: ServedDecision, signal: AbortSignal): Promise<void>;
}

export interface McpServeOptions {
  /** Log to standard error. */
  readonly verbose: boolean;
}

export interface McpInstallOptions {
  /** Name of the entry; default: the id. */
  readonly name?: string | undefined;
  /** Further arguments of the program. */
  readonly args: readonly string[];
  /** `NAME=VALUE`, or `NAME` alone: its value is asked for, hidden. */
  readonly env: readonly string[];
  /** Enable all tools without asking. */
  readonly yes: boolean;
  /** Save it although it cannot be reached. */
  readonly force: boolean;
}

export interface McpAddOptions extends McpInstallOptions {
  readonly name: string;
  readonly url?: string | undefined;
  readonly command?: string | undefined;
  readonly transport?: "http" | "sse" | undefined;
  readonly auth?: "oauth" | "header" | undefined;
  /** Header that carries the value which is asked for with `auth: header`. */
  readonly header: string;
  /** Id of the catalogue. */
  readonly preset?: string | undefined;
  readonly parallel: boolean;
}

export interface McpConfigureOptions {
  /** Names of tools; absent: ask at a terminal. */
  readonly tools?: readonly string[] | undefined;
  /** Enable every tool, also those that come later. */
  readonly all: boolean;
  readonly approve?: "none" | "destructive" | "all" | undefined;
  readonly parallel?: boolean | undefined;
  /** Seconds per call. */
  readonly timeout?: number | undefined;
}

/** What became of an entry. */
export interface McpAdded {
  readonly name: string;
  readonly saved: boolean;
  readonly outcome: McpTestOutcome;
  /** Tools that are enabled; undefined: all. */
  readonly include?: readonly string[];
  /** What is left to do, one sentence each. */
  readonly notes: readonly string[];
}

/** Commands of `agent mcp` that run in the process of their caller; elsewhere every call throws E_STATE. */
export interface McpControl {
  /**
   * Connect to a server, list its tools, ask at a terminal which to enable, and save its entry. @throws E_USAGE, E_CONFLICT, E_INTERRUPTED
   */
  add(options: McpAddOptions): Promise<McpAdded>;
  /** The same for an entry of the catalogue. @throws E_NOT_FOUND */
  install(id: string, options: McpInstallOptions): Promise<McpAdded>;
  /** Choose from the catalogue at a terminal. @throws E_USAGE without a person to ask */
  pick(): Promise<McpAdded>;
  /** Change which tools of a server are enabled, and how it is used. @throws E_NOT_FOUND, E_USAGE */
  configure(name: string, options: McpConfigureOptions): Promise<McpAdded>;
  /** Serve on standard input and output until the client goes away. @returns exit code */
  serve(options: McpServeOptions): Promise<number>;
}
