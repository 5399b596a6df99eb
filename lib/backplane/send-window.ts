import { LIMITS } from "../base/limits.js";

/**
 * What a client has sent and the owner has not answered. An owner refuses a request above `LIMITS.requestsPerClient`, and it counts those
 * that their caller has given up as well: the rest waits here, in order.
 */
export interface SendWindow {
  send(id: number, text: string): void;
  /** Its caller has given up. One that was not sent never is. */
  withdraw(id: number): void;
  answered(id: number): void;
  /** The owner has it, or may have it. */
  wasSent(id: number): boolean;
}

/** @param write puts a message on the wire */
export function createSendWindow(write: (text: string) => void, bound: number = LIMITS.requestsPerClient): SendWindow {
  const open = new Set<number>();
  const waiting = new Map<number, string>();
  const put = (id: number, text: string) => {
    open.add(id);
    write(text);
  };
  return {
    send: (id, text) => {
      if (open.size < bound) put(id, text);
      else waiting.set(id, text);
    },
    withdraw: (id) => {
      waiting.delete(id);
    },
    answered: (id) => {
      if (!open.delete(id)) return;
      const [next] = waiting;
      if (next === undefined) return;
      waiting.delete(next[0]);
      put(...next);
    },
    wasSent: (id) => !waiting.has(id),
  };
}
