import type { Store } from "../../../storage/store.js";
import type { Clock } from "../../base/clock.js";
import { toAppError } from "../../base/errors.js";
import type { Log } from "../../base/log.js";
import type { Ms } from "../../base/units.js";
import type { AdapterFault, Platform } from "../../proto/gateway-platform.js";
import type { Outbox } from "../outbox.js";
import type { GatewayRules } from "../rules.js";
import { createSender } from "../sender.js";

export interface OnceDeps {
  readonly store: Store;
  readonly outbox: Outbox;
  readonly rules: GatewayRules;
  readonly clock: Clock;
  readonly chance: () => number;
  readonly log: Log;
  /** Adapters of the platforms that something is to be sent to. They receive nothing. */
  readonly platforms: readonly Platform[];
}

const READY_MS: Ms = 30_000;

/** Send what waits in the outbox for as long as `work` takes, in a process without a gateway (gateway part, 6.7). */
export async function whileSending<T>(deps: OnceDeps, work: () => Promise<T>): Promise<T> {
  const { platforms, log } = deps;
  const usable: Platform[] = [];
  for (const platform of platforms) {
    const fault = await ready(deps, platform);
    if (fault === undefined) usable.push(platform);
    else log.warning("messages wait for the next gateway", { platform: platform.tag, error: fault.message });
  }
  const refused = (platform: Platform, fault: AdapterFault) => {
    usable.splice(usable.indexOf(platform), 1);
    log.warning("messages wait: the platform refuses the token", { platform: platform.tag, error: fault.message });
  };
  const desk = { connected: () => [...usable], refused, onChange: () => () => undefined };
  const sender = createSender({ ...deps, desk });
  try {
    await sender.start();
    return await work();
  } finally {
    await sender.stop(0);
    for (const platform of platforms) await platform.disconnect().catch(() => undefined);
  }
}

async function ready({ clock }: OnceDeps, platform: Platform): Promise<AdapterFault | undefined> {
  if (platform.prepareSend === undefined) return undefined;
  const control = new AbortController();
  const cancel = clock.after(READY_MS, () => control.abort(new Error("timeout")));
  try {
    return await platform.prepareSend(control.signal);
  } catch (error) {
    return { code: "platform_error", message: toAppError(error).message };
  } finally {
    cancel();
  }
}
