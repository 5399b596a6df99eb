import type { Card } from "../../../../contracts/board/explain.js";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long a task may stand where it is before it is looked at, and before that is overdue; seconds. */
const PATIENCE: Partial<Record<Card["status"], readonly [number, number]>> = {
  ready: [HOUR, DAY],
  running: [10 * MINUTE, HOUR],
  blocked: [HOUR, DAY],
  todo: [7 * DAY, 30 * DAY],
};

export interface Age {
  readonly seconds: number;
  readonly level: "fresh" | "slow" | "stale";
}

/** How long a card stands where it is; a running one, how long its worker is silent. `now`: the owner's time in seconds. */
export function measureCardAge(card: Pick<Card, "status" | "since" | "last_heartbeat_at">, now: number): Age {
  const from = card.status === "running" ? (card.last_heartbeat_at ?? card.since) : card.since;
  const seconds = Math.max(0, now - from);
  const [slow, stale] = PATIENCE[card.status] ?? [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  return { seconds, level: seconds >= stale ? "stale" : seconds >= slow ? "slow" : "fresh" };
}
