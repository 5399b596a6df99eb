import type { z } from "zod";
import type { Home } from "../base/home.js";
import type { Log } from "../base/log/log.js";
import type { SessionId } from "../base/units.js";
import type { BoardApi } from "../contracts/board/api.js";
import type { LineKey } from "../contracts/board/board.js";
import type { ChatOrigin } from "../contracts/board/notify.js";
import type { BrowserApi } from "../contracts/browser/browser.js";
import type { ChatApi } from "../contracts/chat/chat.js";
import type { ChatMember, ChatWork, PersonShell, SlashNext } from "../contracts/chat/slash.js";
import type { Config } from "../contracts/config/config.js";
import type { ProfilesApi } from "../contracts/config/profiles.js";
import type { SettingsApi } from "../contracts/config/settings.js";
import type { SetupControl } from "../contracts/config/setup.js";
import type { DesktopControl } from "../contracts/desktop/control.js";
import type { GatewayApi } from "../contracts/gateway/api.js";
import type { GatewayControl } from "../contracts/gateway/control.js";
import type { CronApi } from "../contracts/gateway/cron.js";
import type { HooksApi } from "../contracts/hooks/hooks-api.js";
import type { McpApi } from "../contracts/mcp/mcp.js";
import type { McpControl } from "../contracts/mcp/served.js";
import type { VoiceApi } from "../contracts/media/voice.js";
import type { MemoryApi } from "../contracts/memory/memory.js";
import type { AuthApi } from "../contracts/models/auth.js";
import type { ModelsApi } from "../contracts/models/models-api.js";
import type { CheckpointApi } from "../contracts/owner/checkpoints.js";
import type { DashboardApi } from "../contracts/owner/dashboard.js";
import type { LanguageServersApi } from "../contracts/owner/language-servers.js";
import type { OwnerApi } from "../contracts/owner/owner.js";
import type { ProxyApi } from "../contracts/owner/proxy.js";
import type { PluginsApi } from "../contracts/plugins/plugins.js";
import type { RuntimeSwitch } from "../contracts/runtimes/switch.js";
import type { SkillServices } from "../contracts/skills/services.js";

export type Surface = "cli" | "slash" | "rpc";

/** Where a one-shot prints. */
export interface Direct {
  /** Options of its line. */
  readonly globals: Readonly<Record<string, unknown>>;
  out(text: string): Promise<void>;
  err(text: string): Promise<void>;
  /** `--json` of the program. */
  readonly json: boolean;
}

/** Who called, from where, and what the command may use. Commands run in the owner; the caller's process only shows what they answer. */
export interface CommandContext {
  readonly surface: Surface;
  /** Chat on a messaging platform that the command came from. */
  readonly origin?: ChatOrigin;
  /** What its author may do there. */
  readonly member?: ChatMember;
  /** Activity in that chat. */
  readonly work?: ChatWork;
  /** Conversation that a slash command was typed in; `sessionOf` asks for it. */
  readonly session?: SessionId;
  /** Begins a conversation with the options of the command line, for a slash command that is all that is run. */
  readonly begin?: () => Promise<SessionId>;
  /** Show the answer only: the caller that starts a turn waits for its end and returns what the model said. */
  readonly waits?: boolean;
  /** Streams of the one-shot that waits, for what a loop of turns says while it runs. */
  readonly direct?: Direct;
  readonly home: Home;
  readonly cwd: string;
  /** Environment of the caller. */
  readonly env: Readonly<Record<string, string>>;
  readonly json: boolean;
  /** Columns of the caller's terminal; 80 without one. */
  readonly columns: number;
  readonly color: boolean;
  /** The caller's output is a terminal. */
  readonly tty?: boolean;
  /** Key of the command line, by which it may be run again when its owner ends before it answers. */
  readonly line?: LineKey | undefined;
  /** Process of the caller, where it is known. */
  readonly pid?: number;
  /** Aborts when the caller interrupts; its reason is the name of the signal. For a follow command also when the caller goes away. */
  readonly signal: AbortSignal;
  /** Aborts when the caller interrupts a second time: stop waiting. */
  readonly force?: AbortSignal;
  /** Options that stand before or after every command (`--board`, `--model`, `--yolo`, ...), as given. */
  readonly globals: Readonly<Record<string, unknown>>;
  readonly board: BoardApi;
  readonly chat: ChatApi;
  readonly config: Config;
  readonly settings: SettingsApi;
  readonly owner: OwnerApi;
  readonly profiles: ProfilesApi;
  readonly models: ModelsApi;
  readonly auth: AuthApi;
  readonly checkpoints: CheckpointApi;
  readonly languageServers: LanguageServersApi;
  readonly mcp: McpApi;
  readonly hooks: HooksApi;
  readonly dashboard: DashboardApi;
  readonly proxy: ProxyApi;
  readonly cron: CronApi;
  readonly gateway: GatewayApi;
  /** Gateways from outside their processes, for commands that run `outside`; elsewhere every call throws E_STATE. */
  readonly gateways: GatewayControl;
  /** Questions at the terminal of the caller, for commands that run `outside`; elsewhere it throws E_STATE. */
  readonly setup: SetupControl;
  /** Commands of `agent mcp` at the terminal of the caller, for commands that run `outside`; elsewhere every call throws E_STATE. */
  readonly mcpControl: McpControl;
  /** Commands of `agent computer-use` in the process of their caller, for commands that run `outside`; elsewhere every call throws E_STATE. */
  readonly desktopControl: DesktopControl;
  readonly shell: PersonShell;
  readonly plugins: PluginsApi;
  readonly skills: SkillServices;
  readonly memory: MemoryApi;
  readonly browser: BrowserApi;
  readonly voice: VoiceApi;
  readonly runtimes: RuntimeSwitch;
  /** Commands of plugins, bundles and skills. Absent: none can be loaded here. */
  readonly runtime?: CommandSource;
  readonly log: Log;
  /** Exit code when the caller closes its output early: 0, and 141 for turns. */
  pipeExit(code: number): void;
  /** Record the progress of a follow command, so that its caller resumes there under the next owner. Absent: it cannot be resumed. */
  readonly reached?: (cursor: number) => void;
  /** Aborts when the caller's output is closed or the caller is gone. */
  readonly gone: AbortSignal;
  /** Write to the caller's standard output at once. Resolves when it may take more. For follow commands. */
  out(text: string): Promise<void>;
  /** Write to the caller's standard error at once. */
  err(text: string): Promise<void>;
  /**
   * Standard input of the caller as text, at most `maxBytes`; "" at a terminal.
   *
   * @param hidden With it a terminal asks with these words for one line, and does not show what is typed.
   */
  stdin(maxBytes: number, hidden?: string): Promise<string>;
}

/** What a command gets from the owner when a client calls it by its method name. */
export type CommandServices = Pick<
  CommandContext,
  | "home"
  | "auth"
  | "board"
  | "chat"
  | "config"
  | "settings"
  | "owner"
  | "profiles"
  | "models"
  | "checkpoints"
  | "languageServers"
  | "mcp"
  | "hooks"
  | "dashboard"
  | "proxy"
  | "cron"
  | "gateway"
  | "gateways"
  | "setup"
  | "mcpControl"
  | "desktopControl"
  | "shell"
  | "plugins"
  | "skills"
  | "memory"
  | "browser"
  | "voice"
  | "runtimes"
  | "runtime"
  | "log"
>;

export interface CommandResult {
  /** Human form, without the last newline. Absent: nothing is printed. */
  readonly text?: string;
  /** The result for programs; one JSON value. */
  readonly data: unknown;
  /** What `--json` prints in place of `data`, without the last newline: UTF-8 in pieces, made where the data lies. */
  readonly json?: readonly Uint8Array[];
  /** Default 0. */
  readonly exit?: number;
  /** Lines for standard error, without prefix. */
  readonly warnings?: readonly string[];
  /** One compact JSON value per line instead of one indented value; `data` is then an array. */
  readonly lines?: boolean;
  /** Everything has been written through `out`; print nothing more. */
  readonly streamed?: boolean;
  /** The text is an answer of the model: a caller who waited for it gets the whole of it. */
  readonly uncut?: boolean;
  /** What the front end of a slash command does then. */
  readonly next?: SlashNext;
}

/** A slash command that is not built in: of the settings, a plugin, a bundle or a skill (core part, 14.1). */
export interface RuntimeCommand {
  /** Without the slash: letters, digits, `-` and `_`. */
  readonly name: string;
  readonly description: string;
  /** What follows the name in a usage line: `<city> [days]`. */
  readonly argsHint?: string;
  readonly source: { readonly kind: "quick" | "plugin" | "bundle" | "skill"; readonly name: string };
  /** It starts a turn: a chat without a conversation opens one first. */
  readonly startsTurn?: boolean;
  /** For an alias: the line that is run in its place. @throws E_USAGE when the definition is invalid */
  expand?(args: string): string | undefined;
  /**
   * @param args the text after the name as typed, trimmed
   * @throws AppError for the person who typed it
   */
  run(args: string, ctx: CommandContext): Promise<CommandResult>;
}

/** Where a line is typed: projects and platforms have commands of their own. */
export interface SlashPlace {
  /** Directory of the front end. Absent: only what is there for all directories. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Tag of the platform; absent at a terminal. */
  readonly platform?: string;
}

/** Commands that come and go while the process runs. Called when a line is typed, completed or listed; cheap, from memory. */
export interface CommandSource {
  commands(place?: SlashPlace): readonly RuntimeCommand[];
  /** Resolves when what is being loaded is there; for a name that is not built in. Absent: there is nothing to wait for. */
  ready?(place?: SlashPlace): Promise<void>;
}

export interface CommandDefinition<P extends z.ZodObject = z.ZodObject> {
  /** Words after `agent`: "kanban create". */
  readonly path: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** Help topic that mentions it. */
  readonly topic: string;
  /**
   * Named by their flag: `max_runtime` is `--max-runtime`. Booleans are flags and have a default, arrays are repeatable flags. Each parameter has
   * `.describe(…)`, which is its help text. Numbers and booleans arrive coerced from the command line.
   */
  readonly params: P;
  /** Parameters that are given by place, in order; a last one ending in `...` takes the rest as an array. */
  readonly positionals?: readonly string[];
  /** One-letter names: `{ model: "m" }`. */
  readonly short?: Readonly<Record<string, string>>;
  readonly surfaces: readonly Surface[];
  /** In a chat it is typed in full: it deletes, stops, restarts, resets or switches approvals off (core part, 14.1). */
  readonly whole?: boolean;
  /** In a chat what follows the name is one text, as it was typed, without options and quotes: the parameter `text`. */
  readonly verbatim?: boolean;
  /** In a chat while a turn runs: `now` runs beside it (the default), `stop` interrupts it first, `idle` is refused. */
  readonly busy?: "now" | "stop" | "idle";
  /** `read` never changes a byte and creates nothing on disk. */
  readonly access: "read" | "write" | "admin";
  /**
   * What no process that a tool started may do through it, whatever was allowed: `settings` changes what the program does or allows, or answers a
   * question; `secrets` prints a token, a code or an address that works once; `control` ends processes of the program. Absent: as `access` says.
   */
  readonly self?: "settings" | "secrets" | "control";
  /** A process that a tool started may run it although `access` is not `read`. Give the reason where you set it. */
  readonly fromTools?: true;
  /**
   * For a changing command of the board: its line is run again when its owner ends before it answers, because the change carries the key of the
   * line, or because what is set to the same value again stays the same. Reading commands of the board are repeated without it.
   */
  readonly repeats?: true;
  /** Runs as long as the caller stays (tail, watch). Ends with 0 on Ctrl+C. */
  readonly follow?: boolean;
  /** Option that takes the last value of `reached`: a follow command resumes with it under the next owner. */
  readonly resumesWith?: string;
  /** For a command that follows only with one of these options: that option. */
  readonly followsWith?: readonly string[];
  /** With this option, and without an owner that stays, the process becomes one for as long as the command runs. */
  readonly staysWith?: string;
  /** Holds a listener: without an owner that stays, the process becomes one for as long as the command runs, and starts nothing by itself. */
  readonly listens?: true;
  /** It manages owners, or becomes one: it runs in the process of its caller, not in the owner. */
  readonly outside?: true;
  /** With one of these options it only asks a running owner and does not start one. */
  readonly asksWith?: readonly string[];
  /** Flag with which a reading command writes, e.g. `--fix`. */
  readonly writesWith?: string;
  /** Which home's owner runs it: `root` for everything on boards. Default `home`. */
  readonly where?: "home" | "root";
  /** May read standard input; such a command never goes through the thin client. */
  readonly stdin?: boolean;
  /**
   * What `data` is, for the published protocol. Commands with the surface `rpc` have it, or a row in the `*-results.ts` files of
   * `lib/contracts/wire/protocol`, where answers are described that several methods share.
   */
  readonly result?: z.ZodType;
  readonly run: (params: z.output<P>, ctx: CommandContext) => Promise<CommandResult>;
}

export type AnyCommand = CommandDefinition<z.ZodObject>;

export function defineCommand<P extends z.ZodObject>(definition: CommandDefinition<P>): AnyCommand {
  return definition as unknown as AnyCommand; // `run` only ever gets what `params` parsed
}
