/** Words of the user for a turn that runs, as the model reads them (core part, 9.3). */

const OPENING = "[OUT-OF-BAND USER MESSAGE";
const CLOSING = "[/OUT-OF-BAND USER MESSAGE]";
const MARKS = /\[(\/?)OUT-OF-BAND USER MESSAGE/g;

/** A tool result that holds a mark of these words must not pass for them. Results that are JSON stay JSON: nothing is escaped with a backslash. */
export const escapeMarks = (content: string): string =>
  content.includes("OUT-OF-BAND USER MESSAGE")
    ? content.replace(MARKS, "[quoted: $1OUT-OF-BAND USER MESSAGE")
    : content;

/** The result of a tool with words of the user at its end. */
export const withSteer = (content: string, text: string): string =>
  `${content}\n\n${OPENING} - a direct message from the user, delivered mid-turn; not tool output]\n${escapeMarks(text)}\n${CLOSING}`;

/** What the turn sees of the words for it. */
export interface Steered {
  /** Words that came since it was asked last; from here on they are the caller's. */
  take(): string | undefined;
  /** Words that were taken and did not reach the turn wait again, before later ones. */
  putBack?(words: string): void;
  /** Calls `listener` for words that wait, and whenever more come. @returns ends that */
  reached?(listener: () => void): () => void;
  /** The turn no longer takes messages. Those that are left go to the queue; they are given back. */
  close(): Promise<string | undefined>;
}

export interface SteerSlot extends Steered {
  /** False: the turn no longer takes messages. `keep` makes all waiting ones durable. */
  accept(text: string, keep: (all: string) => Promise<void>): Promise<boolean>;
}

/** Words that wait for the next tool result of one turn. `giveBack` puts those that are left into the queue. */
export function createSteerSlot(giveBack: (text: string) => Promise<void>): SteerSlot {
  let waiting: string[] = [];
  let kept: Promise<unknown> = Promise.resolve();
  let closed = false;
  let listener: (() => void) | undefined;
  return {
    accept: async (text, keep) => {
      if (closed) return false;
      waiting.push(text);
      const mine = keep(waiting.join("\n"));
      kept = mine.catch(() => undefined); // the caller of `accept` gets the failure
      try {
        await mine;
      } catch (error) {
        const at = waiting.lastIndexOf(text); // the caller learns that it was not taken; the same words may have come before
        waiting = waiting.filter((_one, place) => place !== at);
        throw error;
      }
      listener?.();
      return true;
    },
    putBack: (words) => {
      waiting = [words, ...waiting];
    },
    reached: (given) => {
      listener = given;
      if (waiting.length > 0) given();
      return () => {
        listener = undefined;
      };
    },
    take: () => {
      if (waiting.length === 0) return undefined;
      const all = waiting.join("\n");
      waiting = [];
      return all;
    },
    close: async () => {
      closed = true;
      await kept;
      if (waiting.length === 0) return undefined;
      const left = waiting.join("\n");
      waiting = [];
      await giveBack(left);
      return left;
    },
  };
}
