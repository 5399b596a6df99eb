import type { Store } from "../../../storage/store.js";
import { isPaused, setPaused } from "../../../storage/tables/gateway/accounts.js";
import { defineService, type Scope, type Service } from "../../base/async/service.js";
import { AppError } from "../../base/errors.js";
import type { Log } from "../../base/log/log.js";
import type { TestSignal } from "../../base/process/signal.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import { ADAPTER_CODES, type AdapterStatus, type Platform } from "../../contracts/gateway/platform.js";
import type { SendDesk } from "../outbox/sender.js";
import { AdapterConnection } from "./connection.js";
import type { Claims } from "./credential-claims.js";

export interface SupervisorDeps {
  /** Adapters of the platforms that are enabled, one for each tag. */
  readonly platforms: readonly Platform[];
  readonly store: Store;
  readonly clock: Clock;
  /** 0 to below 1, for the spread of waits. */
  readonly chance: () => number;
  readonly log: Log;
  readonly claims?: Claims | undefined;
  /** Longest time of one connect; default 30 s. */
  readonly connectTimeoutMs?: () => Ms;
  /** An adapter was given up: a notice goes through another platform. Once for each time. */
  readonly onFatal?: (status: AdapterStatus) => void;
  readonly signals?: { readonly states?: TestSignal<AdapterStatus> };
}

/** Keeps every adapter connected, each on its own. Its service starts when all of them were begun, not when they are connected. */
export interface AdapterSupervisor extends SendDesk {
  readonly service: Service;
  statuses(): readonly AdapterStatus[];
  /** Disconnect and stay so, also after a restart of the program. @throws E_NOT_FOUND */
  pause(tag: string): Promise<void>;
  /** Connect at once, whatever the reason was not to. @throws E_NOT_FOUND */
  resume(tag: string): Promise<void>;
  /** The adapters of now. */
  platforms(): readonly Platform[];
  /** Put an adapter in place of that of its tag, which is disconnected first, or beside the others; undefined: it is only taken away. */
  replace(tag: string, platform: Platform | undefined): Promise<void>;
}

/** An adapter that is kept connected, until `end` aborts or the service stops. */
interface Kept {
  readonly keeper: AdapterConnection;
  readonly end: AbortController;
  over: Promise<void>;
}

const isGivenUp = ({ state, error_code: code }: AdapterStatus): boolean =>
  state === "fatal" && code !== null && !ADAPTER_CODES[code].retried;

function keeperOf(keepers: readonly AdapterConnection[], tag: string): AdapterConnection {
  const found = keepers.find(({ platform }) => platform.tag === tag);
  if (found !== undefined) return found;
  const names = keepers.map(({ platform }) => platform.tag).join(", ");
  const hint = names === "" ? "no platform configured" : `configured: ${names}`;
  throw new AppError("E_NOT_FOUND", `platform ${tag} is not configured`, { tag, hint });
}

export function createAdapterSupervisor(deps: SupervisorDeps): AdapterSupervisor {
  const { store, clock } = deps;
  const listeners = new Set<() => void>();
  const changed = (status: AdapterStatus) => {
    deps.signals?.states?.emit(status);
    if (isGivenUp(status)) deps.onFatal?.(status);
    for (const listener of listeners) listener();
  };
  const keptOf = (platform: Platform): Kept => ({
    keeper: new AdapterConnection(platform, deps, changed),
    end: new AbortController(),
    over: Promise.resolve(),
  });
  let kept: readonly Kept[] = deps.platforms.map(keptOf);
  let live: Scope | undefined;
  const keep = async (one: Kept, scope: Scope) => {
    const paused = await store.read((q) => isPaused(q, one.keeper.platform.tag));
    scope.run(() => {
      one.over = one.keeper.keep(paused, AbortSignal.any([scope.signal, one.end.signal]));
      return one.over;
    });
  };
  const keepers = () => kept.map(({ keeper }) => keeper);
  const mustFind = (tag: string) => keeperOf(keepers(), tag);
  const keepPaused = async (tag: string, paused: boolean) => {
    const now = clock.now();
    await store.write("gateway.paused", (tx) => setPaused(tx, tag, paused, now));
  };
  return {
    service: defineService("platforms", async (scope) => {
      live = scope;
      for (const one of kept) await keep(one, scope);
    }),
    statuses: () => keepers().map(({ status }) => status),
    connected: () =>
      keepers()
        .filter(({ status }) => status.state === "connected")
        .map(({ platform }) => platform),
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    refused: (platform, fault) =>
      keepers()
        .find((one) => one.platform === platform)
        ?.lost(fault),
    pause: async (tag) => {
      const keeper = mustFind(tag);
      await keepPaused(tag, true);
      keeper.pause(true);
    },
    resume: async (tag) => {
      const keeper = mustFind(tag);
      await keepPaused(tag, false);
      keeper.pause(false);
    },
    platforms: () => keepers().map(({ platform }) => platform),
    replace: async (tag, platform) => {
      const old = kept.find(({ keeper }) => keeper.platform.tag === tag);
      old?.end.abort(new Error("replaced"));
      await old?.over;
      const next = platform && keptOf(platform);
      const others = kept.filter((one) => one !== old);
      kept = next === undefined ? others : [...others, next];
      if (next !== undefined && live !== undefined && !live.signal.aborted) await keep(next, live);
      for (const listener of listeners) listener();
    },
  };
}
