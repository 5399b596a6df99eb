import type { Config } from "../../contracts/config/config.js";
import type { HookRegistrations } from "../../contracts/hooks/hooks.js";
import { SHELL_HOOKS } from "../keys.js";
import type { HookExecutor } from "./hook-executor.js";
import { readShellHooks, type ShellHook, type ShellHookSettings } from "./shell-hook.js";

export interface ConfiguredHooksDeps {
  readonly config: Config;
  readonly registrations: HookRegistrations;
  readonly executor: HookExecutor;
  /** Directory that `~` means in a command. */
  readonly userHome: string;
}

/**
 * Register the hooks of the setting `hooks` and register them again whenever it changes. A policy hook that cannot be read blocks every call.
 *
 * @returns reads the hooks as they are configured now
 */
export function followConfiguredHooks(deps: ConfiguredHooksDeps): () => ShellHookSettings {
  const { config, registrations, executor, userHome } = deps;
  let settings: ShellHookSettings = { hooks: [], problems: [] };
  let removes: readonly (() => void)[] = [];

  const register = (hook: ShellHook) =>
    registrations.add(hook.event, (fields, signal) => executor.answer(hook, fields, signal), {
      source: `'${hook.command}'`,
      failOpen: hook.failOpen,
      timeoutMs: hook.timeoutSeconds * 1_000,
      matches: (fields) => hook.matcher === undefined || ("tool_name" in fields && hook.matcher.test(fields.tool_name)),
    });
  const blockEveryCall = (problem: string) => {
    const message = `blocked: a policy hook cannot be read: ${problem}`;
    return registrations.add("pre_tool_call", () => ({ action: "block", message }), { source: "hooks" });
  };
  const follow = () => {
    for (const remove of removes) remove();
    settings = readShellHooks(config.get(SHELL_HOOKS), userHome);
    const registered = settings.hooks.map(register);
    const { brokenPolicy } = settings;
    removes = brokenPolicy === undefined ? registered : [...registered, blockEveryCall(brokenPolicy)];
  };

  follow();
  config.onChange(follow);
  return () => settings;
}
