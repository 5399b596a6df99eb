import { LIMITS } from "../../base/limits.js";
import type { EpochMs, Ms } from "../../base/units.js";
import type { Inbound } from "../../contracts/board/platform-tag.js";

type Key = Pick<Inbound, "platform" | "account" | "eventId">;

/** Events that are certainly in the inbox: what comes again soon is a duplicate without a look at the store. */
export interface KnownEvents {
  has(event: Key, now: EpochMs): boolean;
  /** It is stored, and durable. */
  add(event: Key, now: EpochMs): void;
}

/** Rows are kept for days, whatever the retention is: what is younger than this was not forgotten. */
const KNOWN_MS: Ms = 3_600_000;

export function createKnownEvents(limit: number = LIMITS.eventsKnown): KnownEvents {
  const times = new Map<string, EpochMs>();
  return {
    has: (event, now) => {
      const at = times.get(nameOf(event));
      return at !== undefined && Math.abs(now - at) < KNOWN_MS;
    },
    add: (event, now) => {
      const name = nameOf(event);
      times.delete(name);
      times.set(name, now);
      for (const oldest of times.keys()) {
        if (times.size <= limit) break;
        times.delete(oldest);
      }
    },
  };
}

/** No identifier in the inbox holds U+0000, so what stands behind the last one is the whole identifier. */
const nameOf = ({ platform, account, eventId }: Key): string => `${platform}\0${account}\0${eventId}`;
