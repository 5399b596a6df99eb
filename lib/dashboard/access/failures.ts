import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import type { JsonReply } from "../../http/endpoint.js";

/** Wrong tokens and codes by client address. */
export interface Failures {
  /** Milliseconds for which wrong ones of the address are answered with 429; 0 when it need not wait. */
  wait(address: string): Ms;
  /** One more. @returns the same as `wait` */
  add(address: string): Ms;
}

const WINDOW_MS = 60_000;

/** Addresses that are remembered. Above, the one that was seen longest ago is forgotten. */
const ADDRESSES_MAX = 1024;

interface Record {
  readonly at: Ms[];
  until: Ms;
}

/** More than `most` failures of one address within a minute, and it waits for a minute. */
export function createFailures(clock: Clock, most: number): Failures {
  const records = new Map<string, Record>();
  const wait = (address: string) => Math.max(0, (records.get(address)?.until ?? 0) - clock.mono());
  return {
    wait,
    add: (address) => {
      const now = clock.mono();
      const old = records.get(address);
      const record: Record = {
        at: [...(old?.at ?? []).filter((at) => now - at < WINDOW_MS), now].slice(-most - 1),
        until: old?.until ?? 0,
      };
      if (record.at.length > most) record.until = now + WINDOW_MS;
      records.delete(address);
      records.set(address, record);
      const [oldest] = records.keys();
      if (records.size > ADDRESSES_MAX && oldest !== undefined) records.delete(oldest);
      return wait(address);
    },
  };
}

/** The answer to an address that has to wait. */
export function toTooManyReply(wait: Ms): JsonReply {
  const seconds = Math.ceil(wait / 1000);
  return {
    status: 429,
    json: {
      detail: `too many wrong tokens, codes or passwords from this address; retry in ${seconds} s`,
      code: "E_BUSY",
    },
    headers: { "retry-after": String(seconds) },
  };
}
