import type { Clock } from "../../../lib/base/time/clock.js";
import type { Ms } from "../../../lib/base/units.js";

/** What is remembered of messages while the program runs: cards, and the last message of each thread. */
export interface Places {
  card(message: string): void;
  isCard(message: string): boolean;
  /** A card shows what was decided in place of its buttons; for a while people who saw them still press. */
  decided(message: string): void;
  isDecided(message: string): boolean;
  seen(chat: string, thread: string, message: string): void;
  lastIn(chat: string, thread: string): string | undefined;
  /** Count a partial edit; false: it would be one too many. */
  partial(message: string, most: number): boolean;
}

const KNOWN = 2000;

/** How long a second press is answered that it is too late (gateway part, 16.4.3). */
const DECIDED_MS: Ms = 900_000;

export function createPlaces(clock: Pick<Clock, "mono">): Places {
  const decided = new Map<string, number>();
  const cards = new Map<string, true>();
  const threads = new Map<string, string>();
  const edits = new Map<string, number>();
  return {
    card: (message) => keep(cards, message, true),
    isCard: (message) => cards.has(message),
    decided: (message) => keep(decided, message, clock.mono()),
    isDecided: (message) => clock.mono() - (decided.get(message) ?? Number.NEGATIVE_INFINITY) < DECIDED_MS,
    seen: (chat, thread, message) => keep(threads, `${chat}/${thread}`, message),
    lastIn: (chat, thread) => threads.get(`${chat}/${thread}`),
    partial: (message, most) => {
      const count = edits.get(message) ?? 0;
      if (count >= most) return false;
      keep(edits, message, count + 1);
      return true;
    },
  };
}

/** The newest stay. */
function keep<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > KNOWN && oldest !== undefined) map.delete(oldest);
}
