import type { CommandLine } from "../../cli/command-line.js";
import type { CallerIo } from "../../cli/terminal-caller.js";
import type { GatewayRunOptions } from "../../contracts/gateway/control.js";
import type { AskHooks } from "../../contracts/gateway/hooks.js";
import { stayInForeground } from "./foreground.js";
import { ownHome } from "./own-home.js";

/**
 * `agent gateway run`: own the home until a signal, a planned stop or a restart.
 *
 * @returns exit code (gateway part, 3.5)
 * @throws E_OWNER_RUNNING naming the process when there is an owner that stays
 */
export async function runGateway(line: CommandLine, options: GatewayRunOptions): Promise<number> {
  const { home, version, caller, globals } = line;
  const { verbose, quiet, noSupervise } = options;
  return stayInForeground(() => ownHome(line, options), {
    home,
    version,
    caller,
    gateway: true,
    askHooks: askingOf(caller, options),
    globals: {
      ...globals,
      ...(verbose > 1 ? { log_level: "debug" } : {}),
      ...(options.acceptHooks ? { accept_hooks: true } : {}),
    },
    greeting: quiet ? undefined : `gateway of ${home.dir}`,
    shows: verbose > 0 && !quiet,
    again: { args: ["gateway", "run"], alone: !noSupervise },
  });
}

/** The user at the terminal is asked about hooks; without a terminal they do not run. */
function askingOf(caller: CallerIo, { acceptHooks, quiet }: GatewayRunOptions): AskHooks | undefined {
  if (acceptHooks) return async () => true;
  if (!caller.canAsk || quiet) return undefined;
  return async (hooks) => {
    for (const { id, handler, events } of hooks)
      await caller.err(`agent: hook ${id} is new or has changed: ${handler} on ${events.join(", ")}\n`);
    return /^y(es)?$/i.test((await caller.ask("Trust them? [y/N] ", false)).trim());
  };
}
