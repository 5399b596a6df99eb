import type { WireEvent } from "./wire.js";

/** What of an event says whether it comes late. */
export type DatedEvent = Pick<WireEvent, "event" | "at">;

/** What is written of one message, each of it before the message is stored. */
const WRITTEN: ReadonlySet<string> = new Set(["text.delta", "reasoning.delta", "tool.generating"]);
/** Nothing lags longer; a clock that was set back must not silence what streams. */
const MOST_LAG_MS = 60_000;

/**
 * Whether an event belongs to a message that is stored and shown whole already: deltas and stored events come by two ways, and the former may be the
 * slower one.
 * @param stored when the newest message of the assistant was stored
 */
export function comesLate({ event, at }: DatedEvent, stored: number): boolean {
  if (!WRITTEN.has(event)) return false;
  const lag = stored - Date.parse(at);
  return lag >= 0 && lag < MOST_LAG_MS;
}
