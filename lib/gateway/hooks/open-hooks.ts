import { join } from "node:path";
import type { Store } from "../../../storage/store.js";
import { toInheritedEnv } from "../../board/worker-process/worker-env.js";
import type { AppOptions } from "../../config/app-options.js";
import type { AskHooks, FoundHook, GatewayHooks } from "../../contracts/gateway/hooks.js";
import { findHooks } from "./find-hooks.js";
import { createConsent } from "./hook-consent.js";
import { hookProgram } from "./hook-program.js";
import { createHookCalls } from "./run-hooks.js";

export interface OpenedHooks {
  readonly hooks: GatewayHooks;
  /** Why some do not run, a sentence each. */
  readonly problems: readonly string[];
}

/** The hooks of a home. Those that were not allowed do not run, unless `ask` says so now. */
export async function openHooks(options: AppOptions, store: Store, ask: AskHooks | undefined): Promise<OpenedHooks> {
  const { home, clock, config, spawner } = options;
  const env = () => ({ ...toInheritedEnv(config.env, []), AGENT_HOME: home.dir, AGENT_PROFILE: home.profile });
  const programOf = (hook: FoundHook) => hookProgram(hook, home.dir);
  const callsOf = (hooks: readonly FoundHook[]) =>
    createHookCalls({ clock, spawner, env, programOf, log: options.log.child("gateway") }, hooks);
  if (options.safeMode === true) return { hooks: callsOf([]), problems: [] };
  const found = await findHooks(join(home.dir, "hooks"));
  const consent = createConsent(store, clock);
  let { accepted, unknown } = await consent.sorted(found.hooks);
  if (unknown.length > 0 && ask !== undefined && (await ask(unknown))) {
    await consent.accept(unknown);
    ({ accepted, unknown } = await consent.sorted(found.hooks));
  }
  const waiting = unknown.map(
    ({ id, handler }) =>
      `hook ${id} is new or has changed and does not run: check ${handler}, then run agent gateway run --accept-hooks`,
  );
  return {
    hooks: callsOf(accepted),
    problems: [...found.problems, ...waiting],
  };
}
