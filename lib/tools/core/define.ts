import type { z } from "zod";
import type { Home } from "../../base/home.js";
import type { Ids } from "../../base/ids.js";
import type { Log } from "../../base/log/log.js";
import type { Net } from "../../base/net/net.js";
import type { Spawner } from "../../base/process/spawn.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms, SessionId, TurnId } from "../../base/units.js";
import type { EditorFiles } from "../../contracts/acp/editor-files.js";
import type { ChatOrigin } from "../../contracts/board/notify.js";
import type { BrowserApi } from "../../contracts/browser/browser.js";
import type { CallStatus, Denied } from "../../contracts/chat/chat.js";
import type { SideUse } from "../../contracts/chat/compact.js";
import type { FormAnswer, FormAsked, ParkTicket } from "../../contracts/chat/form.js";
import type { ApprovalOption } from "../../contracts/chat/questions.js";
import type { RecallPort } from "../../contracts/chat/recall.js";
import type { Config } from "../../contracts/config/config.js";
import type { DesktopApi } from "../../contracts/desktop/desktop.js";
import type { CronApi } from "../../contracts/gateway/cron.js";
import type { MessagesApi } from "../../contracts/gateway/messages.js";
import type { TurnReach } from "../../contracts/gateway/reach.js";
import type { HookBus } from "../../contracts/hooks/hooks.js";
import type { MediaApi } from "../../contracts/media/media.js";
import type { MixtureApi } from "../../contracts/media/mixture.js";
import type { SocialSearchApi } from "../../contracts/media/social.js";
import type { SpeechApi } from "../../contracts/media/speech.js";
import type { MemoryApi } from "../../contracts/memory/memory.js";
import type { DiagnosticsPort } from "../../contracts/owner/language-servers.js";
import type { SkillServices } from "../../contracts/skills/services.js";
import type { WebApi } from "../../contracts/web/web.js";
import type { DesktopRequest, ProgramRequest } from "../../safety/approve/types.js";
import type { Cages } from "../../safety/cage/cages.js";
import type { RedactStream, ResolvedText } from "../../safety/redact/redact.js";
import type { BoardPort } from "./board-port.js";
import type { CallInside } from "./call-inside.js";
import type { ChildrenPort } from "./delegate-port.js";

/** What a call touches: `path:<abs>`, `tree:<abs>`, `net`, `terminal`, `todo`, `board`, `world`, ... (core part, 6.1). `world` covers everything. */
export interface Effects {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

/** What the paths of a call's arguments are relative to. */
export interface EffectPlace {
  /** The live directory. */
  readonly cwd: string;
  readonly userHome: string;
}

/** Why an approval is needed before a call begins, as its tool declares it. */
export interface DeclaredRisk {
  readonly class: "tool-risk";
  readonly text: string;
  /** Hash of what the tool is: what a person has allowed for another one does not count. */
  readonly pin?: string;
}

/** One thing that may need permission before it happens. */
export interface Permission {
  readonly kind: "command" | "write" | "tool" | "desktop";
  readonly tool: string;
  /** Exactly what will run or be written, as it would be shown. */
  readonly command: string;
  readonly cwd: string;
  /** Absolute paths that would be written. */
  readonly paths?: readonly string[];
  /** Absolute paths that would be read. */
  readonly reads?: readonly string[];
  /** Hosts that would be asked. */
  readonly hosts?: readonly string[];
  /** Skill that would be read, by its name. */
  readonly skill?: string;
  /** Arguments of the call, for rules that compare them. */
  readonly args?: unknown;
  readonly declared?: DeclaredRisk;
  /** Of kind `desktop`: the action and what it would reach. */
  readonly desktop?: DesktopRequest;
  /** What a write would change, made only when an approval is asked for. */
  readonly diff?: () => Promise<string>;
  /** The command is a program of this language and not a command line. */
  readonly code?: "javascript" | "python";
  /** That program runs in the cage of the conversation. */
  readonly caged?: boolean;
  /** Reason for running the command outside the cage. */
  readonly outside?: string;
  /** A program asks that works the turn and carries it out itself. */
  readonly program?: ProgramRequest;
}

/** What became of a question to the user. */
export type UserAnswer =
  | { readonly how: "answered"; readonly text: string }
  /** No answer came in time, or the user cancelled, or no person is there; `instead` tells the model what to do. */
  | { readonly how: "silent" | "cancelled" | "nobody"; readonly instead: string };

export type PermissionAnswer =
  | {
      readonly allowed: true;
      readonly by: string;
      /** Rules keep these real paths below what may be read from the call. */
      readonly hides?: (path: string) => boolean;
      /** The command runs outside the cage. */
      readonly outside?: true;
      /** Clients of the outside that it may start in the cage, by name. */
      readonly clients?: readonly string[];
      /** What a person answered to a program that asks itself. */
      readonly chosen?: ApprovalOption;
    }
  | {
      readonly allowed: false;
      readonly status: "denied" | "blocked";
      readonly message: string;
      readonly rule?: string;
      /** A person said no. */
      readonly byUser?: true;
    };

export interface ToolPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly spawner: Spawner;
  readonly net: Net;
  /** Files of the editor that shows the conversation; absent: those on disk are all. */
  readonly editor?: EditorFiles;
  /** Language servers for what is written; absent without any. */
  readonly diagnostics?: DiagnosticsPort;
  /** Chats on messaging platforms; absent where none can be reached. */
  readonly messages?: MessagesApi;
  /** Scheduled jobs; absent without a scheduler. */
  readonly cron?: CronApi;
  /** Skills of the home; absent without any. */
  readonly skills?: SkillServices;
  /** What is kept from one conversation to the next; absent: nothing is. */
  readonly memory?: MemoryApi;
  /** Cages for commands; absent: they run as they are. */
  readonly cages?: Cages;
  /** Searches and pages of the web; absent where nothing reaches it. */
  readonly web?: WebApi;
  readonly browser?: BrowserApi;
  /** Makes pictures and videos. */
  readonly media?: MediaApi;
  /** Several models that answer one question. */
  readonly mixture?: MixtureApi;
  readonly speech?: SpeechApi;
  readonly social?: SocialSearchApi;
  readonly desktop?: DesktopApi;
}

/** What lives as long as the conversation and is shared by its calls. Each tool keeps its own entry under its own name. */
export interface ToolState {
  /** The live directory: moved by `cd` in the terminal, base of relative paths. */
  cwd: string;
  readonly launchDir: string;
  /** Get or make the entry `name`. `close` of an entry is called when the conversation's tools are let go. */
  entry<T extends { close?(): Promise<void> }>(name: string, make: () => T): T;
  /** Durable record of the lineage (`todo`): JSON text, or undefined. */
  load(name: string): Promise<string | undefined>;
  save(name: string, json: string): Promise<void>;
}

export interface ToolContext {
  readonly callId: string;
  readonly session: SessionId;
  /** Turn that the call belongs to. */
  readonly turn?: TurnId | undefined;
  readonly home: Home;
  readonly state: ToolState;
  readonly ports: ToolPorts;
  readonly config: Config;
  readonly log: Log;
  /** Environment of the front end, not yet filtered; `lib/safety` makes the child's environment from it. */
  readonly env: Readonly<Record<string, string>>;
  /** Hooks and middleware; absent: none. */
  readonly hooks?: HookBus;
  /** Model request that asked for the call. */
  readonly request?: string;
  /** Aborts on interrupt and when the call's time is over. */
  readonly signal: AbortSignal;
  /** Aborts when the user will not wait any longer: what still runs is killed at once. */
  readonly force?: AbortSignal;
  /** Ask before acting. Every exec and every write passes through it. */
  permit(permission: Permission): Promise<PermissionAnswer>;
  /** Ask the user something. Rejects when the turn is interrupted; absent where a conversation has no user. */
  ask?(question: string, choices: readonly string[]): Promise<UserAnswer>;
  /**
   * Ask the user to fill in a form, or to agree to one without fields. An interrupt answers `cancel`. With a ticket the question outlives the
   * call and the owner: an answer that comes too late for this call goes to the handler of the ticket (`QuestionParking.resume`).
   *
   * @throws E_INVALID for a ticket that is not JSON or too long
   */
  askForm?(form: FormAsked, ticket?: ParkTicket): Promise<FormAnswer>;
  /**
   * Ask the user for a value that is never stored, logged or put into an event. `undefined`: no value was given. Rejects when the turn is interrupted.
   */
  askHidden?(
    prompt: string,
    how?: { readonly kind?: "password" | "secret"; readonly timeoutMs?: Ms },
  ): Promise<string | undefined>;
  /** The call has brought in what may hold instructions of others. */
  readUntrusted?(): void;
  /** Why the model may act on words of others: what it has read in this conversation, or who wrote to it. Undefined: it has not. */
  heardOthers?(): Promise<string | undefined>;
  /** Removes secrets from anything that came from outside. */
  redact(text: string): string;
  /** The same for what comes in pieces. */
  redactStream(): RedactStream;
  /** Puts the true values in the place of placeholders. For what is run or written, never for what is shown. */
  reveal(text: string): ResolvedText;
  /** Text for the screen while the call runs. */
  progress(text: string): void;
  /** Adds what a request of side work has cost to the conversation, under the name of its slot. Absent: nothing counts it. */
  addSideUse?(use: SideUse): Promise<void>;
  /** Chat on a messaging platform that the conversation is held in. */
  readonly origin?: ChatOrigin;
  /** The board as this conversation may use it; absent when it may not. */
  readonly board?: BoardPort;
  /** Slug of the board of a worker. */
  readonly boardSlug?: string;
  /** Folder for texts that are too large for the conversation. */
  readonly resultDir?: string;
  /** Calls a tool through the whole pipeline, on behalf of the call that runs. */
  readonly call?: CallInside;
  /** A program reads the result, not the model: nothing is cut. */
  readonly whole?: true;
  /** Sends other conversations to work; absent where that is not possible. */
  readonly children?: ChildrenPort;
  /** Names of the tools that the model has in this turn, whichever way. */
  readonly offered?: readonly string[];
  /** Earlier conversations; absent where they cannot be reached. */
  readonly recall?: RecallPort;
  /** What it reaches of the home; absent: everything. */
  readonly reach?: Pick<TurnReach, "limits">;
  /** Tools that the model finds with `tool_search`; absent when all are offered directly. */
  readonly deferred?: readonly DeferredTool[];
}

/** A picture of a result: a file, or its bytes in base64. Only PNG, JPEG, GIF and WebP within the limits of models are shown. */
export type ResultImage = ({ readonly path: string } | { readonly data: string }) & {
  readonly mediaType?: string;
  /** Name for people; default: that of the file. */
  readonly name?: string;
  /** What the call asked about it: answered by the model of the slot `vision` where the model of the conversation does not see. */
  readonly question?: string;
  /** Front ends show it; models are not sent it. */
  readonly unsent?: true;
};

export interface ToolResult {
  /** Shown to models that see, kept with the message. The text says what there is to know for others. */
  readonly images?: readonly ResultImage[];
  /** What the model reads: plain text or one JSON value, nothing after it. */
  readonly text: string;
  /** Default `ok`. */
  readonly status?: CallStatus;
  /** Absolute paths that the call changed. */
  readonly filesChanged?: readonly string[];
  /** Absolute paths that the call was asked to change and did not. */
  readonly filesNotChanged?: readonly string[];
  readonly exitCode?: number;
  /** Calls that were denied on behalf of this one. */
  readonly denied?: readonly Denied[];
  /** Rule that would have allowed a denied call. */
  readonly ruleToAllow?: string;
  /** It did not react to an interrupt: its result is no longer awaited. */
  readonly abandoned?: boolean;
  /** A terminal call of the board was accepted: the worker ends after this round. */
  readonly endsRun?: boolean;
}

/** Where a tool is offered. */
export interface ToolPlace {
  /** Environment of the front end. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly config: Config;
  /** What tools reach beyond files and commands; absent: nothing. */
  readonly outside?: Pick<ToolPorts, "web" | "browser" | "media" | "speech" | "social" | "desktop">;
}

/** A tool as the model sees it. */
export interface ToolFace {
  readonly description?: string;
  readonly schema?: Readonly<Record<string, unknown>>;
}

/** What can be looked up of a tool that is not offered directly. */
export interface DeferredTool {
  readonly name: string;
  readonly toolset: string;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

export interface ToolDefinition<P extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly toolset: string;
  /** At most 600 characters. */
  readonly description: string;
  readonly params: P;
  /** What the parameters are without a zod schema (`jsonTool`); models get it as it is. */
  readonly schema?: Readonly<Record<string, unknown>>;
  readonly risk: "read" | "write" | "exec" | "external";
  /** It asks for permission itself, naming what it is going to run or write. Any other call is only compared with the rules. */
  readonly asks?: true;
  /** What a call is asked about before it begins, unless a rule `tool:NAME` allows it; undefined: nothing. Not for tools that ask themselves. */
  readonly declares?: (params: z.output<P>) => DeclaredRisk | undefined;
  readonly effects: (params: z.output<P>, place: EffectPlace) => Effects;
  readonly limits: { readonly ms: Ms; readonly chars: number };
  /**
   * `false`: offered only through `tool_search` when the schemas of all such tools are too large for the model (core part, 16.2). For tools
   * that most conversations do without. Default `true`.
   */
  readonly core?: boolean;
  /**
   * What happens to placeholders of secrets in the arguments (core part, 22.4). Absent: they stay as they are. `true`: the tool gets the true
   * values. `asked`: it asks with the placeholders and runs with the true values. `refused`: the call is refused.
   */
  readonly secrets?: "true" | "asked" | "refused";
  /** `true`, or why the tool is not offered. Over environment, PATH, settings and stored logins, without network, under 1 ms once it is loaded. */
  readonly available?: (place: ToolPlace) => true | string | Promise<true | string>;
  /** What the model sees in place of the description and schema of the definition, where it depends on the place. */
  readonly adapt?: (place: ToolPlace, schema: Readonly<Record<string, unknown>>) => ToolFace | Promise<ToolFace>;
  /** At most 120 characters for the line that announces the call. */
  readonly preview: (params: z.output<P>) => string;
  /** A failure is a result. What is thrown becomes `Error executing tool '<name>': <message>`. */
  readonly run: (params: z.output<P>, ctx: ToolContext) => Promise<ToolResult>;
}

/** A tool as the registry holds it. */
export type AnyTool = ToolDefinition<z.ZodType>;

export function defineTool<P extends z.ZodType>(definition: ToolDefinition<P>): AnyTool {
  return definition as unknown as AnyTool; // the loop parses with `params` before it calls `effects`, `preview` or `run`, so P's output is what they get
}
