import type { Log } from "../base/log/log.js";
import type { Clock } from "../base/time/clock.js";
import { settlesWithin } from "../base/time/settles-within.js";
import type { Ms } from "../base/units.js";
import {
  type HookFields,
  type HookName,
  type Hooks,
  isHookName,
  type MiddlewareChain,
  type MiddlewareKind,
} from "../contracts/hooks/hooks.js";
import { type Answer, askCallback, type Listener } from "./ask-callback.js";
import { createFailureLog } from "./failure-log.js";
import { createMiddlewareChain, type MiddlewareEntry } from "./middleware-chain.js";
import { createNoticeQueues } from "./notice-queues.js";
import { type AnswerReading, addedContextOf, dispatchOf, toolBlockOf, transformOf } from "./read-answer.js";

export interface HookBusOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** `plugins.hook_timeout_seconds`, read at each call. */
  readonly timeoutMs: () => Ms;
}

export function createHookBus({ clock, log, timeoutMs }: HookBusOptions): Hooks {
  const listeners = new Map<HookName, readonly Listener[]>();
  const chains = new Map<MiddlewareKind, readonly MiddlewareEntry[]>();
  const failures = createFailureLog(log);
  const notices = createNoticeQueues(clock, failures);

  const of = (name: HookName) => listeners.get(name) ?? [];

  /** Ask one after the other until one decides. */
  const first = async <T>(
    name: HookName,
    fields: HookFields[HookName],
    { read, failed, signal }: Asking<T>,
  ): Promise<T | undefined> => {
    for (const listener of of(name)) {
      if (!listener.matches(fields)) continue;
      const answer = await askCallback(clock, listener, fields, signal);
      const reading = readingOf(answer, read);
      if (!reading.ok) failures.failed(listener.source, name, reading.why);
      const decided = reading.ok ? reading.value : listener.failOpen ? undefined : failed?.(listener, reading.why);
      if (decided !== undefined) return decided;
    }
    return undefined;
  };

  return {
    has: (name) => listeners.has(name),
    preToolCall: (fields, signal) =>
      first("pre_tool_call", fields, {
        read: toolBlockOf,
        failed: ({ source }, why) => ({ block: `blocked: policy hook ${source} failed: ${why}` }),
        signal,
      }),
    preGatewayDispatch: (fields, signal) =>
      first("pre_gateway_dispatch", fields, {
        read: dispatchOf,
        failed: ({ source }, why) => ({ action: "skip" as const, failed: `policy hook ${source} failed: ${why}` }),
        signal,
      }),
    transform: (name, fields, signal) => first(name, fields, { read: transformOf(name), signal }),
    preLlmCall: async (fields, signal) => {
      const parts: string[] = [];
      const read = (value: unknown): AnswerReading<never> => {
        const reading = addedContextOf(value);
        if (!reading.ok) return reading;
        if (reading.value !== undefined) parts.push(reading.value);
        return { ok: true, value: undefined };
      };
      await first("pre_llm_call", fields, { read, signal });
      return parts.length === 0 ? undefined : parts.join("\n\n");
    },
    tell: (name, fields) => {
      for (const listener of of(name)) if (listener.matches(fields)) notices.add(listener, fields);
    },
    middleware: <K extends MiddlewareKind>(kind: K): MiddlewareChain<K> | undefined => {
      const entries = chains.get(kind);
      if (entries === undefined) return undefined;
      return createMiddlewareChain<K>(clock, timeoutMs, entries as unknown as readonly MiddlewareEntry<K>[]); // registered under this kind
    },
    add: (name, callback, { source, failOpen = false, timeoutMs: own, matches = () => true }) => {
      if (!isHookName(name)) {
        log.warning("unknown hook: it is never called", { source, hook: String(name) });
        return () => undefined;
      }
      const given = callback as unknown as Listener["callback"]; // called with the fields of its own name only
      const listener: Listener = {
        name,
        source,
        failOpen,
        callback: given,
        timeoutMs: own === undefined ? timeoutMs : () => own,
        matches,
      };
      return addTo(listeners, name, listener);
    },
    addMiddleware: (kind, fn, source) => addTo(chains, kind, { fn: fn as unknown as MiddlewareEntry["fn"], source }), // run with calls of its own kind only
    list: () => [...listeners.values()].flat().map(({ name, source, failOpen }) => ({ name, source, failOpen })),
    close: async (maxMs) => {
      await settlesWithin(clock, maxMs, notices.idle());
      notices.stop();
    },
  };
}

interface Asking<T> {
  readonly read: (value: unknown) => AnswerReading<T>;
  /** What a failure decides; absent: nothing, the next one is asked. */
  readonly failed?: (listener: Listener, why: string) => T;
  readonly signal: AbortSignal | undefined;
}

const readingOf = <T>(answer: Answer, read: (value: unknown) => AnswerReading<T>): AnswerReading<T> =>
  answer.ok ? read(answer.value) : answer;

/** Lists are replaced, not changed: a call that goes through one keeps it. */
function addTo<K, V>(map: Map<K, readonly V[]>, key: K, value: V): () => void {
  map.set(key, [...(map.get(key) ?? []), value]);
  return () => {
    const left = (map.get(key) ?? []).filter((one) => one !== value);
    if (left.length === 0) map.delete(key);
    else map.set(key, left);
  };
}
