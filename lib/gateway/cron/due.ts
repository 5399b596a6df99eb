import type { EpochMs } from "../../base/units.js";
import type { CatchUp } from "../../contracts/gateway/cron.js";
import { graceAt, nextRun, runsAfter, type Timetable } from "./schedule.js";

/** What happens to a job whose next slot has come (gateway part, 17.3). */
export interface Due {
  /** `skip`: nothing runs. */
  readonly what: "run" | "skip";
  /** Earliest slot that it is about; the run, or the note about skipped slots, is kept under it. */
  readonly slot: EpochMs;
  /** Slots that are made up for or skipped, `slot` among them; 0 for a run in time. Counted up to `MOST_COUNTED`. */
  readonly missed: number;
  /** Slots up to here are dealt with. */
  readonly handledUntil: EpochMs;
  readonly next: EpochMs | undefined;
}

/** More missed slots than these are not counted. */
const MOST_COUNTED = 10_000;

/** Decide about a slot that is not in the future. One that is late by no more than the grace runs; else all up to now count as missed. */
export function decideDue(
  table: Timetable,
  slot: EpochMs,
  { now, catchUp }: { readonly now: EpochMs; readonly catchUp: CatchUp },
): Due {
  if (now - slot <= graceAt(table, slot))
    return { what: "run", slot, missed: 0, handledUntil: slot, next: nextRun(table, slot) };
  return {
    what: catchUp === "once" ? "run" : "skip",
    slot,
    missed: 1 + countUntil(table, slot, now),
    handledUntil: now,
    next: nextRun(table, now),
  };
}

function countUntil(table: Timetable, slot: EpochMs, now: EpochMs): number {
  let count = 0;
  for (const at of runsAfter(table, slot)) {
    if (at > now || count >= MOST_COUNTED - 1) break;
    count += 1;
  }
  return count;
}
