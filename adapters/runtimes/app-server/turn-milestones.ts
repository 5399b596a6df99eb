import type { TurnError } from "./failures.js";

/** The end of a turn as the program told it. */
export interface TurnEnd {
  readonly status: string;
  readonly error: TurnError | undefined;
}

/** What is known of a turn's start and end. */
export interface TurnMilestones {
  turnId(): string | undefined;
  /** The id of the turn, from the answer to `turn/start`. */
  name(turnId: string): void;
  /** The id of the turn as a notification has it; the first one counts. */
  nameOnce(turnId: string): void;
  /** The program has told something of the turn. */
  heard(): void;
  end(end: TurnEnd): void;
  /** Something could not be stored. */
  fail(error: unknown): void;
  /** Resolves when the program works the turn: its id is known, and it has told something of it. Before that it refuses words for the turn. */
  readonly begun: Promise<void>;
  /** Resolves when the program has told the end, and all before it is stored. Rejects when something could not be stored. */
  readonly ended: Promise<TurnEnd>;
}

/** @see TurnMilestones */
export function createTurnMilestones(): TurnMilestones {
  let turnId: string | undefined;
  let isHeard = false;
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  let end: (end: TurnEnd) => void = () => undefined;
  let fail: (error: unknown) => void = () => undefined;
  const ended = new Promise<TurnEnd>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  ended.catch(() => undefined); // told to the turn, which may wait for something else at this moment
  const beginIfKnown = () => {
    if (isHeard && turnId !== undefined) begin();
  };
  return {
    turnId: () => turnId,
    name: (id) => {
      turnId = id;
      beginIfKnown();
    },
    nameOnce: (id) => {
      turnId ??= id;
      beginIfKnown();
    },
    heard: () => {
      isHeard = true;
      beginIfKnown();
    },
    end: (told) => end(told),
    fail: (error) => fail(error),
    begun,
    ended,
  };
}
