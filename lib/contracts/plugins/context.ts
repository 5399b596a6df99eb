/** What `register(ctx)` of a plugin is given (extensions part, 4.3). Everything a plugin hands over is checked when it is registered. */
import type { HookCallback, HookName, Middleware, MiddlewareKind } from "../hooks/hooks.js";

/** What a tool's handler knows of its call. */
export interface PluginCall {
  readonly callId: string;
  readonly sessionId: string;
  /** Directory of the conversation. */
  readonly cwd: string;
  /** Aborts on interrupt, and when the call's time is over. */
  readonly signal: AbortSignal;
  /** A line that is shown while the call runs. */
  readonly log: (text: string) => void;
}

export interface PluginTool {
  /** Letters, digits and `_`, at most 64. */
  readonly name: string;
  /** Default: `plugin-` and the name of the plugin. */
  readonly toolset?: string;
  /** What the model reads, at most 600 characters. */
  readonly description: string;
  /** JSON Schema of an object. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Default `external`. `read`: it changes nothing, is never asked about and may run beside others. */
  readonly risk?: "read" | "write" | "exec" | "external";
  /** Variables without which it is not offered. */
  readonly requiresEnv?: readonly string[];
  /** Whether it is offered now; cheap and without network. A text says why not. */
  readonly check?: () => boolean | string;
  /** It takes the place of a built-in tool of this name. */
  readonly override?: boolean;
  /** Seconds that a call may take, at most 3600. Default 300. */
  readonly timeoutSeconds?: number;
  /** Gets a copy of the arguments. A string is what the model reads, anything else becomes JSON. What it throws is the call's error. */
  readonly handler: (args: Readonly<Record<string, unknown>>, call: PluginCall) => unknown;
}

/** Where a command was typed. */
export interface PluginCommandCall {
  readonly sessionId: string | null;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** A text, or a text with data for `--json`. Nothing: "done". */
export type PluginAnswer =
  | string
  | { readonly text?: string; readonly data?: unknown; readonly exit?: number }
  | undefined;

/** `/name`: at most 30 seconds. */
export interface PluginSlashCommand {
  readonly name: string;
  readonly description: string;
  /** What follows the name in a usage line: `<city> [days]`. */
  readonly argsHint?: string;
  readonly handler: (args: string, call: PluginCommandCall) => PluginAnswer | Promise<PluginAnswer>;
}

export interface PluginCliOption {
  readonly name: string;
  readonly type?: "boolean" | "string" | "number";
  readonly description?: string;
  readonly default?: unknown;
}

/** `agent name`, which `provides_cli` of the manifest must list. */
export interface PluginCliCommand {
  readonly name: string;
  readonly description: string;
  /** Text below the usage line. */
  readonly help?: string;
  readonly options?: readonly PluginCliOption[];
  /** `_` holds the words that are not options. */
  readonly handler: (
    args: Readonly<Record<string, unknown>> & { readonly _: readonly string[] },
    call: PluginCommandCall,
  ) => PluginAnswer | Promise<PluginAnswer>;
}

/** A backend object; each kind is described in `agent help develop-plugin`. */
export interface PluginProvider {
  readonly name: string;
}

/** Logger of a plugin: at most 200 lines a minute, each at most 2,000 characters. */
export interface PluginLog {
  debug(message: string): void;
  info(message: string): void;
  warning(message: string): void;
  error(message: string): void;
}

/** Message for `llm`. */
export interface PluginMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

/** Kinds of objects that parts of the program take from plugins. */
export type ProviderKind =
  | "image"
  | "video"
  | "web_search"
  | "browser"
  | "tts"
  | "transcription"
  | "dashboard_auth"
  | "proxy_adapter"
  | "model_provider"
  | "memory"
  | "context_engine"
  | "platform"
  | "auxiliary_task"
  | "skill";

type RegisterProvider = (provider: PluginProvider) => void;

/** The whole door of a plugin. Each `register…` throws when what it is given does not hold. */
export interface PluginContext {
  readonly name: string;
  readonly key: string;
  readonly version: string;
  /** Setting `plugins.config.<key>`; a copy, read again with each access. */
  readonly config: unknown;
  readonly log: PluginLog;
  /** Directory for data of the plugin, which is made when it is first asked for. */
  readonly home: string;
  /** Value of a variable that `requires_env` of the manifest names; undefined: not set. @throws for any other name */
  secret(name: string): string | undefined;
  registerTool(tool: PluginTool): void;
  registerHook<N extends HookName>(name: N, callback: HookCallback<N>, options?: { readonly failOpen?: boolean }): void;
  registerMiddleware<K extends MiddlewareKind>(kind: K, middleware: Middleware<K>): void;
  registerCommand(command: PluginSlashCommand): void;
  registerCliCommand(command: PluginCliCommand): void;
  readonly registerImageProvider: RegisterProvider;
  readonly registerVideoProvider: RegisterProvider;
  readonly registerWebSearchProvider: RegisterProvider;
  readonly registerBrowserProvider: RegisterProvider;
  readonly registerTtsProvider: RegisterProvider;
  readonly registerTranscriptionProvider: RegisterProvider;
  readonly registerDashboardAuthProvider: RegisterProvider;
  readonly registerProxyAdapter: RegisterProvider;
  readonly registerModelProvider: RegisterProvider;
  readonly registerMemoryProvider: RegisterProvider;
  readonly registerContextEngine: RegisterProvider;
  readonly registerPlatform: RegisterProvider;
  readonly registerAuxiliaryTask: RegisterProvider;
  readonly registerSkill: RegisterProvider;
  /** Run a tool with approvals, hooks and redaction, on behalf of the tool call of this plugin that runs. @throws outside of one */
  dispatchTool(
    name: string,
    args: Readonly<Record<string, unknown>>,
    options?: { readonly sessionId?: string },
  ): Promise<{ readonly content: string; readonly status: string }>;
  /** Queue a message for a conversation; false: unknown conversation. */
  injectMessage(text: string, role?: "user" | "system", options?: { readonly sessionId?: string }): Promise<boolean>;
  /** Ask an auxiliary model. @throws when none is configured, or it fails */
  llm(messages: readonly PluginMessage[], options?: { readonly slot?: string }): Promise<string>;
}
