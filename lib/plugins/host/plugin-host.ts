import { AsyncLocalStorage } from "node:async_hooks";
import { AppError } from "../../base/errors.js";
import type { CommandSource } from "../../commands/define.js";
import type { Config } from "../../contracts/config/config.js";
import type { PluginRegistrations, PluginState } from "../../contracts/plugins/plugins.js";
import type { ToolContext } from "../../tools/core/define.js";
import type { ToolSource } from "../../tools/core/tool-source.js";
import { digestPlugin, stampOf } from "../find/digest.js";
import { type Decision, decide, effective } from "../find/enablement.js";
import type { PluginManifest } from "../find/manifest.js";
import { type LoadingMarks, type RecordsFile, statesOf } from "../find/records.js";
import { type FoundPlugin, type PluginRoot, scanPlugins } from "../find/scan.js";
import { snapshotPlugin } from "../find/snapshots.js";
import type { CliCommand } from "./cli-command.js";
import { type LoadDeps, loadPlugin } from "./load-plugin.js";
import { type ContextDeps, pluginContext } from "./plugin-context.js";
import { nothingRegistered, type Registered, toRegistrations, withdraw } from "./registrations.js";
import { messageOf } from "./within.js";

/** What a host is built on. */
export interface PluginHostDeps extends Omit<ContextDeps, "current" | "config">, LoadDeps {
  readonly config: Pick<Config, "get" | "raw">;
  readonly roots: readonly PluginRoot[];
  readonly records: RecordsFile;
  /** Safe mode: nothing loads. */
  readonly safe: boolean;
  /** Absent: another process of the home keeps them. */
  readonly marks?: LoadingMarks | undefined;
  /** Whether a process is still there: one that ended while it loaded a plugin hung there. */
  readonly lives: (pid: number) => boolean;
}

/** A plugin as the host has it. */
export interface HostedPlugin {
  readonly plugin: FoundPlugin;
  readonly state: PluginState;
  readonly error: string | null;
  readonly registered: PluginRegistrations;
}

/** Loads the enabled plugins of a home into this process. */
export interface PluginHost {
  /**
   * Look for plugins, load what is enabled and take back what is not; what runs already and has not changed is left alone. Never rejects for a plugin.
   *
   * @param fresh keys of plugins that get a new instance anyway
   */
  load(fresh?: readonly string[]): Promise<void>;
  plugins(): readonly HostedPlugin[];
  readonly toolSource: ToolSource;
  readonly commands: CommandSource;
  cliCommand(name: string): CliCommand | undefined;
  /** Take everything back. */
  stop(): void;
}

interface Running {
  readonly plugin: FoundPlugin;
  readonly registered: Registered;
  /** What was loaded: its files as far as they are known without reading them all. */
  readonly stamp: string;
}

interface Failed {
  readonly plugin: FoundPlugin;
  readonly state: PluginState;
  readonly error: string | null;
}

export function createPluginHost(deps: PluginHostDeps): PluginHost {
  const running = new Map<string, Running>();
  const rest = new Map<string, Failed>();
  const blocking = new Map<string, () => void>();
  const instances = new Map<string, number>();
  const current = new AsyncLocalStorage<ToolContext>();
  const context: ContextDeps = { ...deps, current };

  const stop = (key: string): void => {
    const known = running.get(key);
    running.delete(key);
    if (known !== undefined) withdraw(known.registered);
  };

  const loadOne = async (plugin: FoundPlugin, manifest: PluginManifest, dir: string, stamp: string): Promise<void> => {
    const { key } = plugin;
    const registered = nothingRegistered();
    const instance = (instances.get(key) ?? 0) + 1;
    instances.set(key, instance);
    await deps.marks?.begin(key);
    try {
      const made = pluginContext({ key, manifest }, registered, context);
      const dispose = await loadPlugin(dir, manifest.main, { context: made, instance, deps });
      if (dispose !== undefined) registered.undo.push(quietly(dispose, key));
      running.set(key, { plugin, registered, stamp });
      deps.debug("INFO", `loaded ${key}`);
    } catch (error) {
      withdraw(registered);
      const why = messageOf(error);
      rest.set(key, { plugin, state: "error", error: why });
      deps.log.error("failed to load a plugin", { plugin: key, error: why });
      deps.debug("ERROR", `${key}: ${error instanceof Error ? (error.stack ?? why) : why}`);
    } finally {
      await deps.marks?.end(key);
    }
  };

  const quietly = (dispose: () => unknown, key: string) => () => {
    const failed = (error: unknown) =>
      deps.log.error("a plugin failed to end", { plugin: key, error: messageOf(error) });
    try {
      Promise.resolve(dispose()).catch(failed);
    } catch (error) {
      failed(error);
    }
  };

  /** Of the plugins that may run those that guard tool calls and do not run: every call is blocked with their error. */
  const guard = (): void => {
    for (const undo of blocking.values()) undo();
    blocking.clear();
    for (const { plugin, error, state } of rest.values()) {
      if (!plugin.policy || state === "disabled" || state === "not enabled" || deps.safe) continue;
      const { key } = plugin;
      const message = `the plugin ${key} guards tool calls and cannot be loaded: ${error ?? state}; repair it, or run agent plugins disable ${key}`;
      const answer = { action: "block", message } as const;
      blocking.set(
        key,
        deps.hooks.add("pre_tool_call", () => answer, { source: `plugin ${key}` }),
      );
    }
  };

  const pass = async (fresh: readonly string[]): Promise<void> => {
    const found = await scanPlugins(deps.roots, deps.debug);
    const chosen = effective(found, (plugin) => decideWhole(plugin, deps));
    const wanted = new Set(chosen.filter(({ decision }) => decision.load).map(({ plugin }) => plugin.key));
    for (const key of [...running.keys()]) if (!wanted.has(key)) stop(key);
    rest.clear();
    for (const { plugin, decision } of chosen) {
      const { key } = plugin;
      if (!decision.load) {
        deps.debug("INFO", `skipped ${key}: ${decision.skip}`);
        rest.set(key, { plugin, state: decision.state, error: decision.error ?? null });
        continue;
      }
      const known = running.get(key);
      const stamp = plugin.source === "bundled" ? "" : (decision.digest?.digest ?? stampOf(plugin.dir));
      const same = known?.plugin.dir === plugin.dir && known.stamp === stamp;
      if (same && !fresh.includes(key)) continue;
      const dir = await placeOf(plugin, decision.digest, (instances.get(key) ?? 0) > 0);
      stop(key);
      await loadOne(plugin, decision.manifest, dir, stamp);
    }
    guard();
  };

  /** Its modules are known to the engine by their paths: files that may have changed need another one. */
  const placeOf = async (plugin: FoundPlugin, digest: Digested | undefined, again: boolean): Promise<string> => {
    const whole = digest ?? (again && plugin.source !== "bundled" ? tryDigest(plugin.dir) : undefined);
    return whole === undefined ? plugin.dir : await snapshotPlugin(statesOf(deps.homeDir), whole);
  };

  // One pass after the other: each sees what the one before has left.
  let last: Promise<void> = Promise.resolve();
  const inTurn = (fresh: readonly string[]): Promise<void> => {
    const next = last.then(() => pass(fresh));
    last = next.catch(() => undefined); // reported to its caller
    return next;
  };
  const all = () => [...running.values()];
  return {
    load: (fresh = []) => inTurn(fresh),
    plugins: () => [
      ...all().map(({ plugin, registered }) => ({
        plugin,
        state: "loaded" as const,
        error: null,
        registered: toRegistrations(registered),
      })),
      ...[...rest.values()].map((one) => ({ ...one, registered: {} })),
    ],
    toolSource: {
      entries: () => all().flatMap(({ registered }) => registered.tools),
      ready: () => last,
    },
    commands: {
      commands: () => all().flatMap(({ registered }) => registered.commands),
      ready: () => last,
    },
    cliCommand: (name) =>
      all()
        .flatMap(({ registered }) => registered.cli)
        .find((one) => one.name === name),
    stop: () => {
      for (const key of [...running.keys()]) stop(key);
      for (const undo of blocking.values()) undo();
      blocking.clear();
    },
  };
}

type Digested = ReturnType<typeof digestPlugin>;
type Whole =
  | (Decision & { readonly load: false })
  | { readonly load: true; readonly manifest: PluginManifest; readonly digest?: Digested };

function tryDigest(dir: string): Digested | undefined {
  try {
    return digestPlugin(dir);
  } catch (error) {
    if (error instanceof AppError) return undefined; // too large to be copied: it is loaded from where it lies
    throw error;
  }
}

/** By settings, and for a project's plugin by the bytes that were allowed. */
function decideWhole(plugin: FoundPlugin, deps: PluginHostDeps): Whole {
  const decision = decide(plugin, { config: deps.config, env: deps.env(), safe: deps.safe });
  if (!decision.load) return decision;
  const { key } = plugin;
  if (deps.marks?.hung(key, deps.lives) === true) {
    const error = `the program ended while it loaded ${key}; agent plugins enable ${key} tries again`;
    return { load: false, state: "error", error, skip: "it did not finish loading" };
  }
  if (plugin.source !== "project") return decision;
  const digest = digestOrProblem(plugin.dir);
  if (typeof digest === "string") return { load: false, state: "error", error: digest, skip: digest };
  const allowed = deps.records.read().consents[plugin.dir];
  if (allowed === digest.digest) return { ...decision, digest };
  const error =
    allowed === undefined
      ? `its files have not been allowed; agent plugins enable ${key} shows them`
      : `its files have changed since they were allowed; agent plugins enable ${key} shows them`;
  return { load: false, state: "needs consent", error, skip: "no consent" };
}

function digestOrProblem(dir: string): Digested | string {
  try {
    return digestPlugin(dir);
  } catch (error) {
    return messageOf(error);
  }
}
