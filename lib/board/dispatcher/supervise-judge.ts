import type { ProcessId } from "../../base/process/spawn.js";
import type { Ms, UnixSeconds } from "../../base/units.js";
import { type Observed, type OpenRun, workerIdentity } from "../core/kernel.js";
import type { ExitRecord } from "../worker-process/runner-messages.js";
import type { DispatchSettings } from "./dispatcher-settings.js";

/** What is known of the worker of an open run at one moment. */
export interface WorkerFacts {
  /** Now, for something that was stamped then: jumps of the wall clock in between do not count. */
  readonly since: (stamp: UnixSeconds) => UnixSeconds;
  /** Its process lives, by identity. */
  readonly alive: boolean;
  /** How long it has lived, without the wall clock; undefined when unknown. */
  readonly lived: Ms | undefined;
  /** This owner saw it alive before. */
  readonly seenAlive: boolean;
  /** Its host is this one, or unknown. */
  readonly local: boolean;
  readonly boot: string;
  readonly exit: ExitRecord | undefined;
}

/** What has to be done about an open run. `settle`: it has ended. `stop`: it lives and must not. */
export type OpenRunVerdict =
  | { readonly do: "nothing" }
  | { readonly do: "extend" }
  | { readonly do: "settle"; readonly observed: Observed }
  | { readonly do: "stop"; readonly observed: Observed };

/** Steps 2 to 5 of a pass for one run (board part, 6.4), the first that applies. `ttl`: lease length in seconds. */
export function judgeOpenRun(
  run: OpenRun,
  facts: WorkerFacts,
  settings: DispatchSettings,
  ttl: number,
): OpenRunVerdict {
  if (!facts.local) return judgeForeign(run, facts, ttl);
  if (run.worker_pid !== null && !facts.alive) return { do: "settle", observed: observe(facts, workerIdentity(run)) };
  const cap = run.max_runtime_seconds;
  const { age, silent } = agesOf(run, facts);
  if (expired(run, facts, ttl)) {
    if (run.worker_pid === null || silent > settings.heartbeatStaleSeconds)
      return { do: "stop", observed: { how: "lease_expired" } };
    if (cap === null || age < cap) return { do: "extend" };
  }
  const limit = settings.staleTimeoutSeconds;
  if (limit > 0 && age > limit && silent > settings.heartbeatStaleSeconds) {
    return { do: "stop", observed: { how: "stale", timeoutSeconds: limit } };
  }
  if (cap !== null && age >= cap) return { do: "stop", observed: { how: "max_runtime", limitSeconds: cap } };
  return { do: "nothing" };
}

/** A workspace may take its time before the process is there; so much it does not take. */
const LATE_START = 3600;
const TOLERANCE = 60;

/**
 * How long a run and its silence last, in seconds. Its process knows better than the stamps when the wall clock was set before this owner
 * came; a heartbeat from the future then tells nothing but that it is not older than the run.
 */
function agesOf(run: OpenRun, facts: WorkerFacts): { age: number; silent: number } {
  const stamped = facts.since(run.started_at) - run.started_at;
  const lived = facts.lived === undefined ? stamped : Math.floor(facts.lived / 1000);
  const set = stamped - lived > LATE_START || lived - stamped > TOLERANCE;
  const age = set ? lived : stamped;
  const silent = facts.since(run.last_heartbeat_at) - run.last_heartbeat_at;
  return { age, silent: silent < -TOLERANCE ? age : Math.min(silent, Math.max(age, 0)) };
}

/** A run of another host is not signalled from here, and is let go only when its lease has been over for one more TTL. */
function judgeForeign(run: OpenRun, facts: WorkerFacts, ttl: number): OpenRunVerdict {
  return expired(run, facts, ttl, ttl) ? { do: "settle", observed: { how: "lease_expired" } } : { do: "nothing" };
}

/** How a worker that is gone came to its end (board part, 7.6 and 7.7). The record of its runner says it best. */
export function observe(facts: WorkerFacts, worker: ProcessId | undefined): Observed {
  const { exit } = facts;
  if (exit?.start_error !== undefined)
    return { how: "not_started", error: exit.start_error, errorClass: exit.error_class ?? "start" };
  if (exit && exit.code !== null) return { how: "exit", code: exit.code };
  if (exit && exit.signal !== null) return { how: "signal", signal: exit.signal };
  if (worker && worker.boot !== facts.boot) return { how: "host_restart" };
  return { how: "vanished", seenAlive: facts.seenAlive };
}

/** The lease has been over for `longer` seconds. It was written a TTL before its end. */
function expired(run: OpenRun, facts: WorkerFacts, ttl: number, longer = 0): boolean {
  const end = run.claim_expires;
  return end !== null && end + longer <= facts.since(end - ttl);
}
