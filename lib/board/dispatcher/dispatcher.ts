import { defineService, type Service } from "../../base/async/service.js";
import { AppError } from "../../base/errors.js";
import { settlesWithin } from "../../base/time/settles-within.js";
import type { BoardSlug, Ms } from "../../base/units.js";
import type { PassOptions } from "../../contracts/board/api.js";
import type { PassResult } from "../../contracts/board/board.js";
import type { DispatchForecast } from "../../contracts/board/explain.js";
import type { Forced } from "./dispatcher-force.js";
import { runLoops } from "./dispatcher-loops.js";
import { assembleDispatcher, type DispatcherDeps, type DispatcherParts, dispatching } from "./dispatcher-parts.js";
import { passByHand } from "./dispatcher-passes.js";
import { createStartForecast } from "./start-forecast.js";

/** Starts workers for ready tasks and watches them. A service of the long-lived owner; `pass` works without being started. */
export interface Dispatcher extends Service, Omit<DispatchForecast, "state"> {
  /** One pass over all boards, with the starts that it makes (board part, 6.4). */
  pass(options: PassOptions): Promise<PassResult>;
  /** Something may be startable. Returns at once; several calls make one pass. */
  wake(): void;
  /** Workers that live; after a stop those that went on. */
  running(): number;
  /** Resolves when no worker of the board is being started. */
  started(board: BoardSlug): Promise<void>;
  /** It claims by itself. */
  dispatching(): boolean;
  /**
   * Claim whatever the configuration says, until the returned function is called.
   *
   * @throws E_OWNER_RUNNING it claims already
   */
  force(how: Forced): () => void;
}

export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const parts = assembleDispatcher(deps);
  const service = defineService("dispatcher", (scope) => runLoops(parts, scope));
  let left: number | undefined;
  return {
    name: service.name,
    start: () => {
      left = undefined;
      return service.start();
    },
    stop: async (deadline) => {
      await settlesWithin(deps.clock, deadline, wind(parts, service, deadline));
      // Counted last: a start that was under way has made one more worker.
      left ??= parts.supervisor.running();
      parts.supervisor.letGo();
    },
    pass: (options) => passByHand(parts, options),
    wake: () => parts.wakeup.notify(),
    running: () => left ?? parts.supervisor.running(),
    started: (board) => parts.starter.idle(board),
    dispatching: () => dispatching(parts),
    force: (how) => force(parts, how),
    stalled: () => parts.health.stalled,
    ...createStartForecast({
      ...parts.loop,
      settings: parts.settings,
      claimReady: (...args) => parts.claiming.post(() => parts.readyLoop(...args)),
    }),
  };
}

/** Stops that are under way and starts are seen through; what they leave is found by the next owner. */
async function wind({ starter, supervisor }: DispatcherParts, service: Service, deadline: Ms): Promise<void> {
  await service.stop(deadline);
  await starter.idle();
  await supervisor.idle();
}

function force(parts: DispatcherParts, how: Forced): () => void {
  if (dispatching(parts))
    throw new AppError("E_OWNER_RUNNING", `process ${process.pid} is already dispatching`, { pid: process.pid });
  const changed = () => {
    parts.wakeup.notify();
    parts.interval.notify();
  };
  parts.force.begin(how);
  changed();
  return () => {
    if (parts.force.now !== how) return;
    parts.force.end();
    changed();
  };
}
