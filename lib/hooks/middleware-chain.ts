import { AppError } from "../base/errors.js";
import type { Clock } from "../base/time/clock.js";
import type { Ms } from "../base/units.js";
import type { Middleware, MiddlewareChain, MiddlewareKind, MiddlewareKinds } from "../contracts/hooks/hooks.js";
import { createLimit } from "../tools/core/limit.js";
import { reasonOf } from "./ask-callback.js";
import { deepCopy } from "./deep-copy.js";

/** One registration. */
export interface MiddlewareEntry<K extends MiddlewareKind = MiddlewareKind> {
  readonly fn: Middleware<K>;
  readonly source: string;
}

type Call<K extends MiddlewareKind> = MiddlewareKinds[K]["call"];
type Result<K extends MiddlewareKind> = MiddlewareKinds[K]["result"];

/** Middleware of one kind around the call, the first registration outermost. Each has `timeoutMs` of its own, without what runs inside it. */
export function createMiddlewareChain<K extends MiddlewareKind>(
  clock: Clock,
  timeoutMs: () => Ms,
  entries: readonly MiddlewareEntry<K>[],
): MiddlewareChain<K> {
  const run: MiddlewareChain<K>["run"] = (call, last, signal) => {
    const passed = new Set<unknown>(); // what the call itself threw: not the fault of a hook
    const core = async (inner: Call<K>): Promise<Result<K>> => {
      try {
        return await last(inner);
      } catch (thrown) {
        passed.add(thrown);
        throw thrown;
      }
    };
    const step = async (index: number, inner: Call<K>): Promise<Result<K>> => {
      const entry = entries[index];
      if (entry === undefined) return core(inner);
      try {
        return await ownTime(clock, timeoutMs(), {
          entry,
          call: inner,
          next: (given) => step(index + 1, given),
          signal,
        });
      } catch (thrown) {
        if (passed.has(thrown) || thrown instanceof AppError || signal?.aborted) throw thrown;
        throw new AppError("E_INTERNAL", `middleware of ${entry.source} failed: ${reasonOf(thrown)}`, {}, thrown);
      }
    };
    return step(0, call);
  };
  return { sources: entries.map(({ source }) => source), run };
}

interface Step<K extends MiddlewareKind> {
  readonly entry: MiddlewareEntry<K>;
  readonly call: Call<K>;
  readonly next: (call: Call<K>) => Promise<Result<K>>;
  readonly signal: AbortSignal | undefined;
}

async function ownTime<K extends MiddlewareKind>(clock: Clock, ms: Ms, step: Step<K>): Promise<Result<K>> {
  const { entry, call, next, signal } = step;
  let fail: (why: unknown) => void = () => undefined;
  const ended = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  const limit = createLimit(clock, ms, () => fail(new Error(`timed out after ${ms / 1000} s`)));
  const stop = () => fail(signal?.reason);
  signal?.addEventListener("abort", stop, { once: true });
  try {
    if (signal?.aborted) throw signal.reason;
    const inside = async (given: Call<K>) => {
      const release = limit.hold();
      try {
        return await next(given);
      } finally {
        release();
      }
    };
    return await Promise.race([entry.fn(deepCopy(call), inside), ended]);
  } finally {
    limit.stop();
    signal?.removeEventListener("abort", stop);
  }
}
