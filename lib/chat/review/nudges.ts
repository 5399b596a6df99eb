/** What a review looks for. */
export interface ReviewWish {
  readonly memory: boolean;
  readonly skills: boolean;
}

interface Counters {
  turns: number;
  rounds: number;
}

/** Conversations whose counters are kept; those of the least recently used ones start over. */
const CONVERSATIONS = 256;

/** Counts, in memory alone, when a conversation is to be reviewed (core part, 2.1 step 7, and 30). */
export class Nudges {
  readonly #counters = new Map<string, Counters>();
  readonly #intervals: () => { readonly memory: number; readonly skills: number };

  /** @param intervals user turns and tool rounds between two reviews; 0: none */
  constructor(intervals: () => { readonly memory: number; readonly skills: number }) {
    this.#intervals = intervals;
  }

  /**
   * A turn has ended.
   *
   * @param turn how many turns the conversation has had with it, and how many of its rounds called tools
   * @returns what is due now; its counter starts over
   */
  ended(lineage: string, turn: { readonly number: number; readonly rounds: number }): ReviewWish {
    const intervals = this.#intervals();
    const counters = this.#counters.get(lineage) ?? { turns: rest(turn.number - 1, intervals.memory), rounds: 0 };
    this.#counters.delete(lineage);
    this.#counters.set(lineage, counters);
    const oldest = this.#counters.keys().next();
    if (this.#counters.size > CONVERSATIONS && oldest.done !== true) this.#counters.delete(oldest.value);
    counters.turns += 1;
    counters.rounds += turn.rounds;
    const memory = intervals.memory > 0 && counters.turns >= intervals.memory;
    const skills = intervals.skills > 0 && counters.rounds >= intervals.skills;
    if (memory) counters.turns = 0;
    if (skills) counters.rounds = 0;
    return { memory, skills };
  }

  /** So many rounds have passed since the conversation has changed a skill by itself. */
  changedSkill(lineage: string, rounds: number): void {
    const counters = this.#counters.get(lineage);
    if (counters !== undefined) counters.rounds = rounds;
  }
}

const rest = (turns: number, interval: number): number => (interval > 0 && turns > 0 ? turns % interval : 0);
