import type { Log } from "../base/log/log.js";

/** Failures of one source that are logged one by one; after them, one in a hundred is. */
const LOGGED = 5;
const ONE_IN = 100;

/** Logs what goes wrong in hooks, at most as much as a log can bear. */
export interface FailureLog {
  failed(source: string, hook: string, error: string): void;
}

export function createFailureLog(log: Log): FailureLog {
  const counts = new Map<string, number>();
  return {
    failed: (source, hook, error) => {
      const key = `${source} ${hook}`;
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      if (count > LOGGED && count % ONE_IN !== 0) return;
      log.warning("a hook failed", { source, hook, error, ...(count > LOGGED ? { failures: count } : {}) });
    },
  };
}
