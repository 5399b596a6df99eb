import type { HookRegistrations } from "../../contracts/hooks/hooks.js";
import type { PluginState } from "../../contracts/plugins/plugins.js";
import type { FoundPlugin } from "../find/scan.js";

/** A plugin that does not run. */
export interface IdlePlugin {
  readonly plugin: FoundPlugin;
  readonly state: PluginState;
  readonly error: string | null;
}

/** Blocks every tool call while a plugin that guards tool calls should run and does not. */
export interface PolicyGuard {
  /** Block for these plugins and for no other. */
  update(idle: Iterable<IdlePlugin>): void;
  lift(): void;
}

/** @param safe Safe mode: nothing is loaded, and nothing blocks. */
export function createPolicyGuard(hooks: HookRegistrations, safe: boolean): PolicyGuard {
  let undos: readonly (() => void)[] = [];
  const lift = (): void => {
    for (const undo of undos) undo();
    undos = [];
  };
  const block = ({ plugin, error, state }: IdlePlugin): (() => void) => {
    const { key } = plugin;
    const message = `the plugin ${key} guards tool calls and cannot be loaded: ${error ?? state}; repair it, or run agent plugins disable ${key}`;
    return hooks.add("pre_tool_call", () => ({ action: "block", message }), { source: `plugin ${key}` });
  };
  return {
    lift,
    update: (idle) => {
      lift();
      if (!safe) undos = [...idle].filter(shouldRun).map(block);
    },
  };
}

const shouldRun = ({ plugin, state }: IdlePlugin): boolean =>
  plugin.policy && state !== "disabled" && state !== "not enabled";
