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

export const randomIds: Ids = idsFrom((bytes) => randomBytes(bytes));

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
