import { randomBytes } from "node:crypto";
import type { EpochMs, SessionId, TaskId } from "./units.js";

/** Chance. Ids are drawn before a transaction, never inside one. */
export interface Ids {
  task(): TaskId;
  /** `YYYYMMDD_HHMMSS_<6 hex>` of `at`, UTC. */
  session(at: EpochMs): SessionId;
  /** `hex(6)` for short names, e.g. of background processes. */
  hex(bytes: number): string;
  /** 256 random bits, base64url. */
  token(): string;
}

/** Short ids are cut from a stock: asking the system for each takes longer than making the rest of a task. */
const STOCK_BYTES = 1024;
let stock = Buffer.alloc(0);

function fromStock(count: number): Buffer {
  if (count > 8) return randomBytes(count);
  if (stock.length < count) stock = randomBytes(STOCK_BYTES);
  const cut = stock.subarray(0, count);
  stock = stock.subarray(count);
  return cut;
}

export const randomIds: Ids = idsFrom(fromStock);

/** Ids from any source of bytes; the fakes use a counting one. */
export function idsFrom(bytes: (count: number) => Buffer): Ids {
  return {
    task: () => `t_${bytes(4).toString("hex")}` as TaskId, // the format is what the brand stands for
    session: (at) => {
      const [day, time] = new Date(at).toISOString().slice(0, 19).replaceAll("-", "").replaceAll(":", "").split("T");
      return `${day}_${time}_${bytes(3).toString("hex")}` as SessionId;
    },
    hex: (count) => bytes(count).toString("hex"),
    token: () => bytes(32).toString("base64url"),
  };
}
