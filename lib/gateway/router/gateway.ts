import type { Store } from "../../../storage/store.js";
import { defineService, type Service } from "../../base/async/service.js";
import { toAppError } from "../../base/errors.js";
import type { Ids } from "../../base/ids.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import type { AdapterStatus } from "../../contracts/gateway/platform.js";
import { type AdapterSupervisor, createAdapterSupervisor, type SupervisorDeps } from "../adapter/adapter-supervisor.js";
import { createInbox, type Inbox } from "../inbox/inbox.js";
import { createOutbox, type Outbox } from "../outbox/outbox.js";
import { createSender, type SenderDeps } from "../outbox/sender.js";
import { createVisibleTexts, type VisibleTexts } from "../outbox/visible-texts.js";
import type { GatewayRules } from "../settings/delivery-rules.js";
import { createDispatch, type DispatchDeps, type GatewayTurns } from "./dispatch.js";

/** What the gateway is made of. */
export interface GatewayParts {
  /** The home's main store, held by the owner. */
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  /** 0 to below 1, for the spread of waits. */
  readonly chance: () => number;
  readonly log: Log;
  readonly rules: GatewayRules;
  /** Makes the adapters of the platforms that are enabled; they put what they receive into the inbox that they are given. */
  readonly platforms: (inbox: Inbox) => SupervisorDeps["platforms"];
  /** Undefined: messages are stored, and no turns are worked. */
  readonly turns?: GatewayTurns | undefined;
  readonly claims?: SupervisorDeps["claims"];
  readonly connectTimeoutMs?: () => Ms;
  /** What else is forgotten after a time; called each hour. */
  readonly upkeep?: () => Promise<void>;
  readonly onFatal?: (status: AdapterStatus) => void;
  readonly signals?: NonNullable<SenderDeps["signals"]> &
    NonNullable<DispatchDeps["signals"]> &
    NonNullable<SupervisorDeps["signals"]>;
}

/** The gateway of a home. Without its service nothing is received or sent, and what is inserted waits. */
export interface Gateway {
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  readonly visible: VisibleTexts;
  readonly supervisor: AdapterSupervisor;
  readonly service: Service;
  /**
   * Begin no turn any more, wait for those that run and for what can be sent. What is received meanwhile is stored. To be stopped afterwards.
   *
   * @returns false when something was still underway after `limit`, or when `signal` aborted; it goes on after the next start
   */
  drain(limit: Ms, more?: DrainOptions): Promise<boolean>;
}

export interface DrainOptions {
  /** No caller waits any longer. */
  readonly signal?: AbortSignal;
  /** Work of others that leaves something to send. */
  readonly also?: Promise<void>;
}

const PRUNE_MS: Ms = 3_600_000;

/** Put the gateway together. Its parts start in the order of gateway part, 3.7, and stop in reverse. */
export function createGateway(parts: GatewayParts): Gateway {
  const { turns, platforms, ...shared } = parts;
  const outbox = createOutbox(shared);
  const inbox = createInbox({ ...shared, outbox });
  const supervisor = createAdapterSupervisor({ ...shared, platforms: platforms(inbox) });
  const sender = createSender({ ...shared, outbox, desk: supervisor });
  const dispatch = turns && createDispatch({ ...shared, inbox, turns });
  const services = [
    supervisor.service,
    sender,
    createUpkeep(parts, inbox, outbox),
    ...(dispatch === undefined ? [] : [dispatch]),
  ];
  const rest = async (also: Promise<void> | undefined) => {
    await Promise.all([dispatch?.drain(), also]);
    await sender.drain();
    return true;
  };
  return {
    inbox,
    outbox,
    visible: createVisibleTexts(shared),
    supervisor,
    service: together(services),
    drain: (limit, { signal, also } = {}) => inTime(shared.clock, { limit, signal }, rest(also)),
  };
}

interface Patience {
  readonly limit: Ms;
  readonly signal: AbortSignal | undefined;
}

/** False when it takes longer. */
async function inTime(clock: Clock, { limit, signal }: Patience, work: Promise<boolean>): Promise<boolean> {
  if (signal?.aborted === true) return false;
  let cancel: () => void = () => undefined;
  const late = new Promise<boolean>((resolve) => {
    const timer = clock.after(limit, () => resolve(false));
    const stop = () => resolve(false);
    signal?.addEventListener("abort", stop, { once: true });
    cancel = () => {
      timer();
      signal?.removeEventListener("abort", stop);
    };
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    cancel();
  }
}

/** All or nothing: when one cannot start, those before it are stopped. */
function together(services: readonly Service[]): Service {
  return defineService("gateway", async (scope) => {
    for (const service of services) {
      scope.onStop(() => service.stop(0));
      await service.start();
    }
  });
}

function createUpkeep(
  { clock, log, upkeep }: Pick<GatewayParts, "clock" | "log" | "upkeep">,
  inbox: Inbox,
  outbox: Outbox,
): Service {
  return defineService("gateway-upkeep", async (scope) => {
    scope.loop(async () => {
      try {
        await inbox.prune();
        await outbox.prune();
        await upkeep?.();
      } catch (error) {
        if (!scope.signal.aborted) log.warning("failed to remove old messages", { error: toAppError(error).message });
      }
      await clock.sleep(PRUNE_MS, scope.signal);
    });
  });
}
