import type { Store } from "../../../storage/store.js";
import { toAppError } from "../../base/errors.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import type { Inlet } from "../../contracts/board/platform-tag.js";
import type { AdapterFault, Platform } from "../../contracts/gateway/platform.js";
import type { Outbox } from "../outbox/outbox.js";
import { createSender } from "../outbox/sender.js";
import type { GatewayRules } from "../settings/delivery-rules.js";

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

/**
 * Send what waits in the outbox for as long as `work` takes, in a process without a gateway (gateway part, 6.7). `stuck` aborts, with the reason, once
 * none of the platforms can be used: waiting on would change nothing.
 */
export async function whileSending<T>(deps: OnceDeps, work: (stuck: AbortSignal) => Promise<T>): Promise<T> {
  const { platforms, log } = deps;
  const usable: Platform[] = [];
  const stuck = new AbortController();
  const stopIfNone = (fault: AdapterFault) => {
    if (usable.length === 0) stuck.abort(new Error(fault.message));
  };
  let last: AdapterFault | undefined;
  for (const platform of platforms) {
    const fault = await ready(deps, platform);
    last = fault ?? last;
    if (fault === undefined) usable.push(platform);
    else log.warning("messages wait for the next gateway", { platform: platform.tag, error: fault.message });
  }
  if (last !== undefined) stopIfNone(last);
  const refused = (platform: Platform, fault: AdapterFault) => {
    usable.splice(usable.indexOf(platform), 1);
    log.warning("messages wait: the platform refuses the token", { platform: platform.tag, error: fault.message });
    stopIfNone(fault);
  };
  const desk = { connected: () => [...usable], refused, onChange: () => () => undefined };
  const sender = createSender({ ...deps, desk });
  try {
    await sender.start();
    return await work(stuck.signal);
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

/** Takes nothing: the platform keeps what it has for the next gateway. What earlier ones stored to send with, as rights to write, can be read. */
export const sendOnlyInlet = (cursor: Inlet["cursor"]): Inlet => ({
  accept: async () => "busy",
  acceptBatch: async () => ({ result: "busy" }),
  cursor,
  connected: async () => ({ first: false, at: 0 }),
});
