import { LIMITS } from "../base/limits.js";
import type { Clock } from "../base/time/clock.js";
import type { HookFields, HookName } from "../contracts/hooks/hooks.js";
import { askCallback, HOOK_INTERRUPTED, type Listener } from "./ask-callback.js";
import type { FailureLog } from "./failure-log.js";

/** Notices on their way to listeners: each listener gets them one after the other, and none waits for another. */
export interface NoticeQueues {
  /** An idle listener is called at once; a busy one when it is ready. */
  add(listener: Listener, fields: HookFields[HookName]): void;
  /** Resolves when every notice so far has been handled. */
  idle(): Promise<void>;
  /** Drop what waits and end what runs. */
  stop(): void;
}

interface Queue {
  readonly waiting: HookFields[HookName][];
  running: Promise<void> | undefined;
}

export function createNoticeQueues(clock: Clock, failures: FailureLog): NoticeQueues {
  const queues = new Map<Listener, Queue>();
  const control = new AbortController();
  const work = async (listener: Listener, queue: Queue) => {
    for (let fields = queue.waiting.shift(); fields !== undefined; fields = queue.waiting.shift()) {
      const answer = await askCallback(clock, listener, fields, control.signal);
      if (!answer.ok && answer.why !== HOOK_INTERRUPTED) failures.failed(listener.source, listener.name, answer.why);
    }
    queues.delete(listener);
  };
  return {
    add: (listener, fields) => {
      if (control.signal.aborted) return;
      const queue = queues.get(listener) ?? { waiting: [], running: undefined };
      if (queue.waiting.length >= LIMITS.hookNotices)
        return failures.failed(listener.source, listener.name, "too slow: a notice was dropped");
      queues.set(listener, queue);
      queue.waiting.push(fields);
      queue.running ??= work(listener, queue);
    },
    idle: async () => {
      while (queues.size > 0) await Promise.all([...queues.values()].map(({ running }) => running));
    },
    stop: () => {
      for (const { waiting } of queues.values()) waiting.length = 0;
      control.abort();
    },
  };
}
