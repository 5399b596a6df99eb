import type { CommandSource } from "../../commands/define.js";
import type { PluginRegistrations, PluginState } from "../../contracts/plugins/plugins.js";
import type { ToolSource } from "../../tools/core/tool-source.js";
import { effective } from "../find/enablement.js";
import { type FoundPlugin, type PluginRoot, scanPlugins } from "../find/scan.js";
import type { CliCommand } from "./cli-command.js";
import { decidePlugin, type LoadDecisionDeps } from "./decide-plugin.js";
import { createPolicyGuard, type IdlePlugin } from "./policy-guard.js";
import { toRegistrations } from "./registrations.js";
import { createRunningPlugins, type RunningPluginsDeps } from "./running-plugins.js";

/** What a host is built on. */
export interface PluginHostDeps extends Omit<RunningPluginsDeps, "config">, LoadDecisionDeps {
  readonly roots: readonly PluginRoot[];
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

/** @see PluginHost */
export function createPluginHost(deps: PluginHostDeps): PluginHost {
  const running = createRunningPlugins(deps);
  const guard = createPolicyGuard(deps.hooks, deps.safe);
  const idle = new Map<string, IdlePlugin>();

  const pass = async (fresh: readonly string[]): Promise<void> => {
    const found = await scanPlugins(deps.roots, deps.debug);
    const chosen = effective(found, (plugin) => decidePlugin(plugin, deps));
    running.stopExcept(new Set(chosen.filter(({ decision }) => decision.load).map(({ plugin }) => plugin.key)));
    idle.clear();
    for (const { plugin, decision } of chosen) {
      const { key } = plugin;
      if (!decision.load) {
        deps.debug("INFO", `skipped ${key}: ${decision.skip}`);
        idle.set(key, { plugin, state: decision.state, error: decision.error ?? null });
        continue;
      }
      const { manifest, digest } = decision;
      const error = await running.ensure({ plugin, manifest, digest }, fresh.includes(key));
      if (error !== undefined) idle.set(key, { plugin, state: "error", error });
    }
    guard.update(idle.values());
  };

  // One pass after the other: each sees what the one before has left.
  let last: Promise<void> = Promise.resolve();
  const passInTurn = (fresh: readonly string[]): Promise<void> => {
    const next = last.then(() => pass(fresh));
    last = next.catch(() => undefined); // reported to its caller
    return next;
  };
  return {
    load: (fresh = []) => passInTurn(fresh),
    plugins: () => [
      ...running.all().map(({ plugin, registered }) => ({
        plugin,
        state: "loaded" as const,
        error: null,
        registered: toRegistrations(registered),
      })),
      ...[...idle.values()].map((one) => ({ ...one, registered: {} })),
    ],
    toolSource: {
      entries: () => running.all().flatMap(({ registered }) => registered.tools),
      ready: () => last,
    },
    commands: {
      commands: () => running.all().flatMap(({ registered }) => registered.commands),
      ready: () => last,
    },
    cliCommand: (name) =>
      running
        .all()
        .flatMap(({ registered }) => registered.cli)
        .find((one) => one.name === name),
    stop: () => {
      running.stopExcept(new Set());
      guard.lift();
    },
  };
}
