/**
 * Programs of other makers that work turns in place of the model loop: the app-server, agents that speak the Agent Client Protocol (extensions
 * part, 8). One contract for conversations and board workers. A runtime is one file or folder in `adapters/runtimes`.
 */
import type { Home } from "../../base/home.js";
import type { Ids } from "../../base/ids.js";
import type { Log } from "../../base/log/log.js";
import type { Spawner } from "../../base/process/spawn.js";
import type { Secret } from "../../base/secret.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import type { NewMessage } from "../chat/chat.js";
import type { Config } from "../config/config.js";
import type { Usage } from "../models/model.js";

/** What a process gives to its runtimes. */
export interface RuntimeParts {
  readonly home: Home;
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly spawner: Spawner;
  readonly log: Log;
  /** Version of this product, for the first message to the program. */
  readonly version: string;
}

/** Where the program of one conversation runs. */
export interface RuntimePlace {
  readonly cwd: string;
  /** Environment of the front end or of the worker, unfiltered. The program gets the list of 8.2 only. */
  readonly env: Readonly<Record<string, string>>;
  /** How the program reaches our tools; absent: they are not offered to it. */
  readonly callback?: CallbackEntry;
  /**
   * Address and key of the provider `vendor`, for the app-server; absent: no key is known. The program uses them where its own settings name no
   * other provider and it is not logged in.
   */
  readonly vendor?: VendorRoute;
  /** Roots of a board worker, which its sandbox may write; absent: not a worker, and its own settings hold. */
  readonly worker?: { readonly writable: readonly string[] };
}

/** Where requests to the vendor's models go, and the key that pays for them. */
export interface VendorRoute {
  readonly baseUrl: string;
  readonly key: Secret;
}

/** The callback tool server as a program starts it, with the variables that it needs (extensions part, 9). */
export interface CallbackEntry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Defines a runtime; adding one touches its file only. */
export interface RuntimeDefinition {
  /** As settings spell it: `app-server`, `acp`. */
  readonly id: string;
  /** Nothing is started before the first turn. */
  open(parts: RuntimeParts, place: RuntimePlace): AgentRuntime;
}

/** The program of one conversation. It is started by the first turn, ended when idle, and started again. */
export interface AgentRuntime {
  /** Work one turn. One at a time. Never rejects for what the program does: that is an ending. */
  turn(turn: RuntimeTurn, host: RuntimeHost, signal: AbortSignal): Promise<RuntimeEnding>;
  /** Words of the user for the running turn. False: it did not take them; the caller queues them. */
  steer(text: string): Promise<boolean>;
  /** Ends the program and all of its group. Harmless twice; a later turn starts it again. */
  close(): Promise<void>;
}

export interface RuntimeTurn {
  readonly text: string;
  /** Pictures of the message: absolute paths of files. */
  readonly pictures: readonly string[];
  /** Thread of the program that goes on; absent: a new one. */
  readonly thread?: string;
  /** The thread is first taken back to before this turn of it (`/undo`). Where the program cannot, a new thread begins with `history`. */
  readonly revertTo?: string;
  /** What was said before, in a marked block of at most 20,000 characters, for the first input of a new thread; undefined: nothing was. */
  history(): Promise<string | undefined>;
  /** A model that the user chose; absent: the program's own. */
  readonly model?: string;
  /** Longest time that the turn works; waiting for people does not count. 0: no limit. */
  readonly timeoutMs: Ms;
}

/** What a turn tells and asks. Calls that return a promise are durable, or answered, when it resolves. */
export interface RuntimeHost {
  /** The turn works on this thread; reported before its input is sent, and again where a thread had to start over. */
  thread(id: string): Promise<void>;
  /** The program's id of this turn, for a later `revertTo`. */
  turnId(id: string): Promise<void>;
  /** What one finished item adds to the transcript. An item whose key was stored before adds nothing. */
  item(item: RuntimeItem): Promise<void>;
  /** Tokens of the turn so far: a later call replaces an earlier one. */
  usage(usage: Usage, window?: number): void;
  /** Live display only; never transcript. */
  live(event: RuntimeLive): void;
  /** What a person should know; `once` names a notice that is shown once per conversation. */
  notice(notice: { readonly level: "info" | "warning"; readonly text: string; readonly once?: string }): void;
  /** One at a time, in the order asked. Aborting withdraws the question. Never rejects: `cancel` when the turn was interrupted meanwhile. */
  permit(asked: RuntimePermission, signal: AbortSignal): Promise<RuntimeAnswer>;
  /** A question to the user. Undefined: no answer, or no person is there. A hidden one is neither stored nor shown. */
  ask(question: RuntimeQuestion, signal: AbortSignal): Promise<string | undefined>;
  /** Milliseconds that this turn has waited for people so far. */
  waited(): Ms;
  /** A file as the conversation's file tools may read it. @throws E_DENIED, E_NOT_FOUND */
  readFile(path: string, range?: { readonly line?: number; readonly limit?: number }): Promise<string>;
  /** Write a file with the approvals, checkpoints and records of the conversation. @throws E_DENIED */
  writeFile(path: string, text: string, signal: AbortSignal): Promise<void>;
}

/** A finished item. */
export interface RuntimeItem {
  /** Names the item within its thread. */
  readonly key: string;
  /** In order; a result follows the message with its call. Texts are not redacted yet. */
  readonly messages: readonly Pick<
    NewMessage,
    "role" | "content" | "toolCalls" | "toolCallId" | "toolName" | "status" | "durationMs" | "reasoning"
  >[];
  /** Absolute paths that it changed. */
  readonly changed?: readonly string[];
  /** A note of what others may have written, e.g. of a search. Results of tools are known by their names. */
  readonly foreign?: true;
}

/** What happens at this moment. */
export type RuntimeLive =
  | { readonly kind: "text" | "reasoning"; readonly delta: string }
  | { readonly kind: "call"; readonly callId: string; readonly tool: string; readonly preview: string }
  | { readonly kind: "output"; readonly callId: string; readonly text: string }
  | { readonly kind: "called"; readonly callId: string; readonly ok: boolean }
  /** For the status line: `waiting for the limit of the account`, `reconnecting 1/5`. */
  | { readonly kind: "status"; readonly text: string };

/** A request for approval, in the words of the program. */
export interface RuntimePermission {
  /** `exec_command`, `apply_patch`, `mcp.<server>.<tool>`: what hooks and rules see. */
  readonly tool: string;
  readonly callId: string;
  readonly kind: "command" | "write" | "tool";
  /** Exactly what will run; for a file change `2 add, 1 update: a, b, c`. */
  readonly command: string;
  readonly cwd: string;
  readonly reason?: string;
  /** Absolute paths that a `write` changes, or that a `command` may write beyond its sandbox. */
  readonly paths?: readonly string[];
  /** Hosts that a `tool` reaches. */
  readonly hosts?: readonly string[];
  readonly args?: unknown;
  /** Unified diff of a `write`. */
  readonly diff?: string;
  /** Only a person may answer it, whatever mode, rule or `--yolo` is in force; without one it is `deny`. */
  readonly person?: true;
  /** Text that is typed into a command that runs, shown as such. */
  readonly typed?: true;
  /** The command that it is typed into, where the program tells it. */
  readonly into?: string;
  /** The program has a scope of its own for these answers; others are not offered. Absent: once, session, always. */
  readonly scopes?: readonly ("session" | "always")[];
}

/** `cancel`: the turn was interrupted while it was asked. */
export type RuntimeAnswer = "once" | "session" | "always" | "deny" | "cancel";

export interface RuntimeQuestion {
  readonly header?: string;
  readonly question: string;
  readonly options: readonly string[];
  readonly hidden?: true;
}

/** How a turn ended. */
export interface RuntimeEnding {
  readonly status: "completed" | "interrupted" | "failed" | "timed_out";
  /** Last text of the agent; it stands in the transcript already, as an item. Empty: none. */
  readonly answer: string;
  /** Whether the program began the turn: counts as a request. */
  readonly began: boolean;
  readonly error?: RuntimeError;
}

export interface RuntimeError {
  /** `app_server`, `acp` (the program or its protocol), `auth`, `rate_limit`, `overloaded`, `timeout`. */
  readonly class: string;
  /** What the program said, with its exit status and the end of its standard error where it died. */
  readonly message: string;
  /** What to do, with the way back to the loop. */
  readonly hint: string;
  readonly retryAfterMs?: Ms;
}
