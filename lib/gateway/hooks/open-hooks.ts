import { join } from "node:path";
import type { Store } from "../../../storage/store.js";
import { inherited } from "../../board/worker-process/worker-env.js";
import type { AppOptions } from "../../config/app-options.js";
import type { AskHooks, GatewayHooks } from "../../contracts/gateway/hooks.js";
import { findHooks } from "./find-hooks.js";
import { createConsent } from "./hook-consent.js";
import { createHookCalls } from "./run-hooks.js";

export interface OpenedHooks {
  readonly hooks: GatewayHooks;
  /** Why some do not run, a sentence each. */
  readonly problems: readonly string[];
}

/** The hooks of a home. Those that nobody let run do not, unless `ask` says so now. */
export async function openHooks(options: AppOptions, store: Store, ask: AskHooks | undefined): Promise<OpenedHooks> {
  const { home, clock, config, spawner } = options;
  const found = await findHooks(join(home.dir, "hooks"));
  const consent = createConsent(store, clock);
  let { accepted, unknown } = await consent.sorted(found.hooks);
  if (unknown.length > 0 && ask !== undefined && (await ask(unknown))) {
    await consent.accept(unknown);
    ({ accepted, unknown } = await consent.sorted(found.hooks));
  }
  const env = () => ({ ...inherited(config.env, []), AGENT_HOME: home.dir, AGENT_PROFILE: home.profile });
  const waiting = unknown.map(
    ({ id, handler }) =>
      `hook ${id} is new or was changed and does not run: look at ${handler}, then agent gateway run --accept-hooks`,
  );
  return {
    hooks: createHookCalls({ clock, spawner, env, log: options.log.child("gateway") }, accepted),
    problems: [...found.problems, ...waiting],
  };
}
