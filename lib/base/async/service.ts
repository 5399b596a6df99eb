import type { Ms } from "../units.js";
import { allowManyListeners } from "./aborted.js";

/** One contract for everything long-lived: dispatcher, gateway, adapters, cron, proxy, dashboard, reaper. */
export interface Service {
  readonly name: string;
  /** Resolves when the service works. Rejects when it cannot, and then nothing of it is left behind. */
  start(): Promise<void>;
  /** Resolves when no timer, socket, child or promise of it is left. Never rejects; harmless twice, and before start. */
  stop(deadline: Ms): Promise<void>;
}

/** What the body of a service is given. `signal` aborts on stop. */
export interface Scope {
  readonly signal: AbortSignal;
  /** Repeat `body` until stop; the scope owns the promise. A body that throws while not stopping ends the service through `onError`. */
  loop(body: () => Promise<void>): void;
  /** Run `work` beside the service; awaited at stop. */
  run(work: () => Promise<void>): void;
  /** Run at stop, in reverse order of registration, each on its own. */
  onStop(cleanup: () => void | Promise<void>): void;
}

export interface ServiceOptions {
  /** A loop or piece of work failed for another reason than stop. Default: the error is rethrown on the next tick and ends the process. */
  onError?: (error: unknown) => void;
}

/** A service that is only its body. */
export function defineService(
  name: string,
  body: (scope: Scope) => Promise<void>,
  options: ServiceOptions = {},
): Service {
  let live: Live | undefined;
  return {
    name,
    start: async () => {
      if (live) return;
      const mine = createLive(options);
      live = mine;
      try {
        await body(mine.scope);
      } catch (error) {
        await mine.end();
        if (live === mine) live = undefined;
        throw error;
      }
    },
    stop: async () => {
      const mine = live;
      live = undefined;
      await mine?.end();
    },
  };
}

interface Live {
  scope: Scope;
  end(): Promise<void>;
}

function createLive(options: ServiceOptions): Live {
  const control = new AbortController();
  allowManyListeners(control.signal);
  const work = new Set<Promise<void>>();
  const cleanups: (() => void | Promise<void>)[] = [];
  const failed = options.onError ?? rethrow;
  const run = (body: () => Promise<void>) => {
    const promise = body()
      .catch((error: unknown) => {
        if (!control.signal.aborted) failed(error);
      })
      .finally(() => work.delete(promise));
    work.add(promise);
  };
  const scope: Scope = {
    signal: control.signal,
    run,
    loop: (body) =>
      run(async () => {
        while (!control.signal.aborted) await body();
      }),
    onStop: (cleanup) => {
      cleanups.push(cleanup);
    },
  };
  return { scope, end: async () => finish(control, cleanups, work, failed) };
}

async function finish(
  control: AbortController,
  cleanups: (() => void | Promise<void>)[],
  work: Set<Promise<void>>,
  failed: (error: unknown) => void,
): Promise<void> {
  control.abort(new Error("stopped"));
  for (const cleanup of cleanups.splice(0).reverse()) {
    try {
      await cleanup();
    } catch (error) {
      failed(error);
    }
  }
  await Promise.all(work);
}

function rethrow(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
