import { createWakeup } from "../../base/async/wakeup.js";
import { toAppError } from "../../base/errors.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import {
  ADAPTER_CODES,
  type AdapterEvents,
  type AdapterFault,
  type AdapterState,
  type AdapterStatus,
  type Connected,
  type Platform,
} from "../../contracts/gateway/platform.js";
import { createWatchdog, type Watchdog } from "../loops/watchdog.js";
import { backoff } from "../settings/delivery-rules.js";
import type { Claim, Claims } from "./credential-claims.js";

export interface AdapterConnectionDeps {
  /** The right to use the credential of an adapter; without it every adapter may. */
  readonly claims?: Claims | undefined;
  readonly clock: Clock;
  readonly chance: () => number;
  readonly log: Log;
  readonly connectTimeoutMs?: () => Ms;
}

const CONNECT_MS: Ms = 30_000;
const DISCONNECT_MS: Ms = 5000;
const RETRY_MS: Ms = 5000;
/** Milliseconds after which a lost connection starts over with its waits; one that is lost at once does not. */
const STABLE_MS: Ms = 60_000;

/** What a connection ended with; undefined: it was asked to end. */
type End = AdapterFault | undefined;

/** Keeps one adapter connected, for ever: connects, waits until it is lost or another state is wanted, disconnects, waits, connects. */
export class AdapterConnection {
  readonly platform: Platform;
  status: AdapterStatus;
  readonly #deps: AdapterConnectionDeps;
  readonly #changed: (status: AdapterStatus) => void;
  readonly #wakeup = createWakeup();
  #paused = false;
  /** A connection is wanted now: waits and an earlier failure do not count. */
  #wanted = false;
  #lost: AdapterFault | undefined;
  #failures = 0;
  #listen: string | null = null;
  #endConnect: () => void = () => undefined;

  constructor(platform: Platform, deps: AdapterConnectionDeps, changed: (status: AdapterStatus) => void) {
    this.platform = platform;
    this.#deps = deps;
    this.#changed = changed;
    this.status = this.#statusOf("disconnected", undefined);
  }

  /** Hold the adapter until the signal aborts; it is disconnected when this resolves. Never rejects for a reason of the adapter. */
  async keep(paused: boolean, signal: AbortSignal): Promise<void> {
    this.#paused = paused;
    while (!signal.aborted) {
      if (this.#paused) await this.#rest("paused", undefined, signal);
      else await this.#once(signal);
    }
    this.#set("disconnected", undefined);
  }

  pause(paused: boolean): void {
    this.#paused = paused;
    this.#wanted = !paused && this.status.state !== "connected" && this.status.state !== "connecting";
    if (paused) this.#endConnect();
    this.#wakeup.notify();
  }

  /** The connection is no longer of use. Changes nothing without one. */
  lost(fault: AdapterFault): void {
    if (this.status.state !== "connected") return;
    this.#lost ??= fault;
    this.#wakeup.notify();
  }

  async #once(signal: AbortSignal): Promise<void> {
    this.#wanted = false;
    this.#lost = undefined;
    this.#set("connecting", undefined);
    const claimed = await this.#claimed();
    const end = "code" in claimed ? claimed : await this.#connected(claimed, signal);
    if (signal.aborted || end === undefined) return;
    await this.#afterwards(end, signal);
  }

  async #claimed(): Promise<Claim | AdapterFault> {
    try {
      return (await this.#deps.claims?.take(this.platform)) ?? { release: () => undefined };
    } catch (error) {
      return { code: "platform_error", message: `cannot claim its token: ${toAppError(error).message}` };
    }
  }

  async #connected(claim: Claim, signal: AbortSignal): Promise<End> {
    const life = { over: false };
    try {
      const end = await this.#hold(life, signal);
      life.over = true;
      if (this.status.state === "connected") this.#set("disconnected", end); // nothing is sent any more while it lets go
      await this.#disconnect();
      return end;
    } finally {
      claim.release();
    }
  }

  /** One connection from its beginning to its end. */
  async #hold(life: { over: boolean }, signal: AbortSignal): Promise<End> {
    const { clock } = this.#deps;
    const watchdog = createWatchdog(clock, () =>
      this.lost({ code: "timeout", message: "nothing received for too long" }),
    );
    const reports: AdapterEvents = {
      lost: (fault) => life.over || this.#report(fault),
      polled: () => life.over || this.#polled(watchdog),
    };
    const answer = await this.#connect(reports, signal);
    if (signal.aborted || this.#paused) return undefined;
    if (!answer.connected) return { code: answer.code, message: answer.message };
    const since = clock.mono();
    this.#listen = answer.listen ?? null;
    this.#set("connected", undefined);
    if (answer.pollTimeoutMs !== undefined) watchdog.start(answer.pollTimeoutMs);
    try {
      while (this.#lost === undefined && !this.#paused && !this.#wanted && !signal.aborted) await this.#rung(signal);
    } finally {
      watchdog.stop();
    }
    if (clock.mono() - since >= STABLE_MS) this.#failures = 0;
    return this.#lost;
  }

  #polled(watchdog: Watchdog): void {
    watchdog.polled();
    this.status = { ...this.status, polled_at: this.#deps.clock.now() };
  }

  /** Lost right after the connect, before that is known here, counts as well. */
  #report(fault: AdapterFault): void {
    this.#lost ??= fault;
    this.#wakeup.notify();
  }

  async #connect(reports: AdapterEvents, signal: AbortSignal): Promise<Connected> {
    const limit = this.#deps.connectTimeoutMs?.() ?? CONNECT_MS;
    const control = new AbortController();
    let cancel: () => void = () => undefined;
    const cut = new Promise<Connected>((resolve) => {
      const give = (message: string) => {
        control.abort(new Error(message));
        resolve({ connected: false, code: "timeout", message });
      };
      const timer = this.#deps.clock.after(limit, () => give(`not connected within ${limit / 1000} s`));
      const stop = () => give("stopped");
      this.#endConnect = stop;
      signal.addEventListener("abort", stop, { once: true });
      cancel = () => {
        timer();
        signal.removeEventListener("abort", stop);
      };
    });
    try {
      return await Promise.race([this.#tried(reports, control.signal), cut]);
    } finally {
      cancel();
    }
  }

  async #tried(reports: AdapterEvents, signal: AbortSignal): Promise<Connected> {
    try {
      return await this.platform.connect(reports, signal);
    } catch (error) {
      return { connected: false, code: "platform_error", message: toAppError(error).message };
    }
  }

  async #afterwards(fault: AdapterFault, signal: AbortSignal): Promise<void> {
    this.#failures += 1;
    const { clock, chance, log } = this.#deps;
    const rule: { readonly retried: boolean; readonly every?: Ms } = ADAPTER_CODES[fault.code];
    log.warning("failed to connect a platform", {
      tag: this.platform.tag,
      code: fault.code,
      error: fault.message,
      failures: this.#failures,
    });
    if (!rule.retried) return this.#rest("fatal", fault, signal);
    const cancel = clock.after(rule.every ?? backoff(RETRY_MS, this.#failures, chance), () => {
      this.#wanted = true;
      this.#wakeup.notify();
    });
    try {
      await this.#rest(rule.every === undefined ? "retrying" : "fatal", fault, signal);
    } finally {
      cancel();
    }
  }

  /** Stay without a connection until one is wanted. */
  async #rest(state: AdapterState, fault: AdapterFault | undefined, signal: AbortSignal): Promise<void> {
    this.#wanted = false;
    this.#set(state, fault);
    const paused = this.#paused;
    while (!this.#wanted && this.#paused === paused && !signal.aborted) await this.#rung(signal);
    if (state !== "retrying") this.#failures = 0;
  }

  async #rung(signal: AbortSignal): Promise<void> {
    try {
      await this.#wakeup.wait(signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** An adapter that does not let go in time is left to itself: what it reports later is not heard. */
  async #disconnect(): Promise<void> {
    let cancel: () => void = () => undefined;
    const late = new Promise<void>((resolve) => {
      cancel = this.#deps.clock.after(DISCONNECT_MS, resolve);
    });
    try {
      await Promise.race([this.platform.disconnect(), late]);
    } catch (error) {
      this.#deps.log.warning("a platform did not disconnect cleanly", {
        tag: this.platform.tag,
        error: toAppError(error).message,
      });
    } finally {
      cancel();
    }
  }

  #set(state: AdapterState, fault: AdapterFault | undefined): void {
    if (state !== "connected") this.#listen = null;
    this.status = this.#statusOf(state, fault);
    this.#changed(this.status);
  }

  #statusOf(state: AdapterState, fault: AdapterFault | undefined): AdapterStatus {
    const { tag, account } = this.platform;
    const error = { error_code: fault?.code ?? null, error_message: fault?.message ?? null };
    return {
      tag,
      account,
      state,
      ...error,
      listen: this.#listen,
      polled_at: this.status?.polled_at ?? null,
      updated_at: this.#deps.clock.now(),
    };
  }
}
