import { createHash } from "node:crypto";
import type { Ids } from "../base/ids.js";
import type { Clock } from "../base/time/clock.js";
import type { Ms } from "../base/units.js";
import { sameText } from "../safety/redact/same-text.js";

/** Equal, in a time that tells nothing about where they differ. */
export const sameToken = (given: string, right: string): boolean => sameText(given, right);

/** The token of an `Authorization: Bearer` header, or undefined. */
export function bearerOf(header: string | undefined): string | undefined {
  return header === undefined ? undefined : /^Bearer ([\x21-\x7e]{1,512})$/i.exec(header)?.[1];
}

/** Single-use rights for clients that cannot send a header. */
export interface Tickets {
  /** A ticket for one request to `path`. */
  issue(path: string): string;
  /** Whether the ticket is good for `path`; it is gone afterwards, also when it was for another path. */
  redeem(ticket: string, path: string): boolean;
}

/** Tickets that were not used yet. Above, the oldest is dropped. */
const TICKETS_MAX = 256;

/** Tickets that live for `lifetime`. They are kept by digest, so that looking one up tells nothing about the others. */
export function createTickets(ids: Ids, clock: Clock, lifetime: Ms): Tickets {
  const open = new Map<string, { path: string; until: Ms }>();
  const digest = (ticket: string) => createHash("sha256").update(ticket).digest("base64");
  const drop = () => {
    for (const [key, { until }] of open) {
      if (until > clock.mono() && open.size < TICKETS_MAX) return;
      open.delete(key);
    }
  };
  return {
    issue: (path) => {
      drop();
      const ticket = ids.token();
      open.set(digest(ticket), { path, until: clock.mono() + lifetime });
      return ticket;
    },
    redeem: (ticket, path) => {
      const key = digest(ticket);
      const found = open.get(key);
      open.delete(key);
      return found !== undefined && found.path === path && clock.mono() < found.until;
    },
  };
}

/** Slows guessing down without shutting the right client out: only answers to failures wait. */
export interface Throttle {
  /** A failure. Resolves true when it may be answered, false at once when too many wait already: drop the connection. */
  failed(signal: AbortSignal): Promise<boolean>;
}

const FREE_FAILURES = 5;
const STEP_MS = 100;
const LONGEST_MS = 1_000;
const WAITING_MAX = 16;
const FORGET_MS = 60_000;

/** The first 5 failures of a minute are answered at once, each further one 0.1 s later than the last, at most 1 s. */
export function createThrottle(clock: Clock): Throttle {
  let failures = 0;
  let last = Number.NEGATIVE_INFINITY;
  let waiting = 0;
  return {
    failed: async (signal) => {
      if (clock.mono() - last > FORGET_MS) failures = 0;
      last = clock.mono();
      failures += 1;
      const wait = Math.min(Math.max(failures - FREE_FAILURES, 0) * STEP_MS, LONGEST_MS);
      if (wait === 0) return true;
      if (waiting >= WAITING_MAX) return false;
      waiting += 1;
      try {
        await clock.sleep(wait, signal);
        return true;
      } catch (error) {
        if (signal.aborted) return false;
        throw error;
      } finally {
        waiting -= 1;
      }
    },
  };
}
