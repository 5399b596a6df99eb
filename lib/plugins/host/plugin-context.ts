import { join } from "node:path";
import { AppError } from "../../base/errors.js";
import { makeDir } from "../../base/fs/directory.js";
import { isRecord } from "../../base/json/record.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import type { SessionId } from "../../base/units.js";
import type { ChatApi } from "../../contracts/chat/chat.js";
import type { Config } from "../../contracts/config/config.js";
import type {
  HookCallback,
  HookName,
  HookRegistrations,
  Middleware,
  MiddlewareKind,
} from "../../contracts/hooks/hooks.js";
import type { AuxClient, AuxSlotName } from "../../contracts/models/auxiliary.js";
import type { PluginContext, PluginMessage, ProviderKind } from "../../contracts/plugins/context.js";
import { isAuxSlot } from "../../models/auxiliary.js";
import type { PluginDebug } from "../find/debug.js";
import type { PluginManifest } from "../find/manifest.js";
import { cliCommand, slashCommand } from "./cli-command.js";
import { boundedLog } from "./plugin-log.js";
import { type CurrentCall, pluginTool } from "./plugin-tool.js";
import type { ProviderRegistry } from "./providers.js";
import { noteName, type Registered, refuseClosed } from "./registrations.js";

/** What contexts of plugins reach of the program. */
export interface ContextDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly config: Pick<Config, "raw">;
  readonly env: () => Readonly<Record<string, string | undefined>>;
  readonly homeDir: string;
  readonly hooks: HookRegistrations;
  readonly providers: ProviderRegistry;
  readonly current: CurrentCall;
  readonly debug: PluginDebug;
  /** First words of built-in commands. */
  readonly slashNames: ReadonlySet<string>;
  readonly cliNames: ReadonlySet<string>;
  readonly chat: () => Pick<ChatApi, "get" | "queueAdd">;
  readonly aux: () => Promise<Pick<AuxClient, "ask">>;
}

export interface Loading {
  readonly key: string;
  readonly manifest: PluginManifest;
}

const AUX_TOKENS = 4_096;
const MIDDLEWARE: readonly MiddlewareKind[] = ["tool_request", "tool_execution", "llm_request", "llm_execution"];

/** The context of one plugin. What it registers goes into `registered`, from where it is taken back as a whole. */
export function pluginContext({ key, manifest }: Loading, registered: Registered, deps: ContextDeps): PluginContext {
  const log = deps.log.child(`plugin:${key}`);
  const open = () => refuseClosed(registered, key);
  const noted = (kind: string, name: string): void => {
    noteName(registered, kind, name);
    deps.debug("INFO", `${key} registered ${kind} ${name}`);
  };
  const provider = (kind: ProviderKind) => (given: unknown) => {
    open();
    registered.undo.push(deps.providers.add(kind, key, given));
    noted(kind, String(Reflect.get(given as object, "name"))); // it was accepted, so it has one
  };
  return {
    name: manifest.name,
    key,
    version: manifest.version,
    get config() {
      const all = deps.config.raw("plugins.config");
      return structuredClone(isRecord(all) && Object.hasOwn(all, key) ? all[key] : undefined);
    },
    log: boundedLog(log, deps.clock),
    get home() {
      const dir = join(deps.homeDir, "plugin-data", key);
      makeDir(dir);
      return dir;
    },
    secret: (name) => {
      if (!manifest.requiresEnv.some((one) => one.name === name))
        throw new AppError("E_FORBIDDEN", `secret ${name}: requires_env of ${key} does not name it`);
      const value = deps.env()[name];
      return value === "" ? undefined : value;
    },
    registerTool: (tool) => {
      open();
      const entry = pluginTool(tool, { key, env: deps.env, current: deps.current });
      if (registered.tools.some(({ name }) => name === entry.name))
        throw new AppError("E_INVALID", `registerTool ${entry.name}: registered twice`);
      registered.tools.push(entry);
      noted("tools", entry.name);
    },
    registerHook: <N extends HookName>(
      name: N,
      callback: HookCallback<N>,
      options?: { readonly failOpen?: boolean },
    ) => {
      open();
      if (typeof callback !== "function") throw new AppError("E_INVALID", `registerHook ${name}: not a function`);
      registered.undo.push(
        deps.hooks.add(name, callback, { source: `plugin ${key}`, failOpen: options?.failOpen === true }),
      );
      noted("hooks", String(name));
    },
    registerMiddleware: <K extends MiddlewareKind>(kind: K, middleware: Middleware<K>) => {
      open();
      if (!MIDDLEWARE.includes(kind) || typeof middleware !== "function")
        throw new AppError(
          "E_INVALID",
          `registerMiddleware ${String(kind)}: wants a function and one of ${MIDDLEWARE.join(", ")}`,
        );
      registered.undo.push(deps.hooks.addMiddleware(kind, middleware, `plugin ${key}`));
      noted("middleware", kind);
    },
    registerCommand: (command) => {
      open();
      registered.commands.push(slashCommand(command, { key, clock: deps.clock, taken: deps.slashNames }));
      noted("commands", command.name);
    },
    registerCliCommand: (command) => {
      open();
      const own = { key, clock: deps.clock, taken: deps.cliNames, listed: manifest.providesCli };
      registered.cli.push(cliCommand(command, own));
      noted("cli", command.name);
    },
    registerImageProvider: provider("image"),
    registerVideoProvider: provider("video"),
    registerWebSearchProvider: provider("web_search"),
    registerBrowserProvider: provider("browser"),
    registerTtsProvider: provider("tts"),
    registerTranscriptionProvider: provider("transcription"),
    registerDashboardAuthProvider: provider("dashboard_auth"),
    registerProxyAdapter: provider("proxy_adapter"),
    registerModelProvider: provider("model_provider"),
    registerMemoryProvider: provider("memory"),
    registerContextEngine: provider("context_engine"),
    registerPlatform: provider("platform"),
    registerAuxiliaryTask: provider("auxiliary_task"),
    registerSkill: provider("skill"),
    dispatchTool: async (name, args) => {
      const call = deps.current.getStore();
      if (call?.call === undefined)
        throw new AppError("E_STATE", `dispatchTool ${name}: no tool call of this plugin is running`);
      return await call.call(String(name), structuredClone(args), call.signal);
    },
    injectMessage: async (text, role = "user", { sessionId } = {}) => {
      const session = (sessionId as SessionId | undefined) ?? deps.current.getStore()?.session; // its user looks it up
      const chat = deps.chat();
      if (session === undefined || (await chat.get(session)) === undefined) return false;
      const said = role === "system" ? `[${key}] ${text}` : String(text);
      await chat.queueAdd(session, { text: said, kind: "message", source: "plugin" });
      return true;
    },
    llm: async (messages, { slot = "monitor" } = {}) => {
      if (!isAuxSlot(slot) && deps.providers.find("auxiliary_task", slot) === undefined)
        throw new AppError("E_INVALID", `llm: no auxiliary task is called ${slot}; registerAuxiliaryTask adds one`);
      return await askModel(await deps.aux(), messages, slot);
    },
  };
}

async function askModel(
  aux: Pick<AuxClient, "ask">,
  messages: readonly PluginMessage[],
  slot: string,
): Promise<string> {
  const of = (role: PluginMessage["role"]) => messages.filter((one) => one.role === role).map(({ content }) => content);
  const rest = messages.filter(({ role }) => role !== "system");
  const user = rest.length === 1 ? of("user") : rest.map(({ role, content }) => `${role}: ${content}`);
  const answer = await aux.ask({
    slot: slot as AuxSlotName, // or a name that a plugin has registered, whose settings are read like those of the others
    system: of("system").join("\n\n"),
    user: user.join("\n\n"),
    temperature: 0,
    maxOutputTokens: AUX_TOKENS,
  });
  if (answer.ok) return answer.text;
  const why = answer.why === "failed" ? answer.message : "no auxiliary model is configured";
  throw new AppError("E_MODEL", `llm: ${why}`);
}
