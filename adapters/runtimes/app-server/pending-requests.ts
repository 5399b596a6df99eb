import { isRecord } from "../../../lib/base/json/record.js";
import type { Clock } from "../../../lib/base/time/clock.js";
import { settlesWithin } from "../../../lib/base/time/settles-within.js";
import type { Ms } from "../../../lib/base/units.js";
import { ProgramFailure, Refused } from "./failures.js";

/** How long the program may take to answer a method. Extensions part, 8.2. */
const DEADLINES: Readonly<Record<string, Ms>> = {
  initialize: 10_000,
  "thread/start": 15_000,
  "thread/resume": 15_000,
  "turn/start": 10_000,
  "turn/interrupt": 5_000,
  "turn/steer": 5_000,
  "thread/backgroundTerminals/terminate": 5_000,
};
const OTHER_MS: Ms = 30_000;

type Params = Readonly<Record<string, unknown>>;

/** Requests to the program that wait for their answers. */
export interface PendingRequests {
  /** Send a request and wait for its answer. @throws Refused for an error, ProgramFailure without an answer in time */
  request(method: string, params: Params): Promise<Params>;
  /** Settle the request that a message answers; one that no one waits for is dropped. */
  settle(message: Params): void;
  /** The program has ended: no answer comes any more. */
  failAll(reason: string): void;
}

interface Waiting {
  resolve(result: Params): void;
  reject(error: Error): void;
}

/** @see PendingRequests */
export function createPendingRequests(clock: Clock, send: (message: object) => void): PendingRequests {
  const waiting = new Map<number, Waiting>();
  let serial = 0;
  return {
    request: async (method, params) => {
      serial += 1;
      const id = serial;
      const ms = DEADLINES[method] ?? OTHER_MS;
      const result = new Promise<Params>((resolve, reject) => waiting.set(id, { resolve, reject }));
      send({ id, method, params });
      if (await settlesWithin(clock, ms, result)) return await result;
      waiting.delete(id);
      throw new ProgramFailure(`the app-server did not answer ${method} within ${ms / 1_000} s`);
    },
    settle: ({ id, error, result }) => {
      const asked = waiting.get(Number(id));
      if (asked === undefined) return;
      waiting.delete(Number(id));
      if (isRecord(error)) asked.reject(new Refused(Number(error["code"]), String(error["message"])));
      else asked.resolve(isRecord(result) ? result : {});
    },
    failAll: (reason) => {
      for (const { reject } of waiting.values()) reject(new ProgramFailure(reason));
      waiting.clear();
    },
  };
}
