import type { Account, Inlet } from "../../../lib/contracts/board/platform-tag.js";

/** Rows whose reply was refused for certain and that are pushed since, by their send key. Known over a restart. */
export interface Pushed {
  has(key: string): Promise<boolean>;
  /** @returns false: it cannot be stored now, and nothing may be pushed */
  note(key: string): Promise<boolean>;
}

const CURSOR = "pushed";
/** A right to reply ends after less than a minute: older ones are not asked for. */
const KEPT = 200;

/**
 * It is stored before the push: an owner that found only that a call was cut off would try the reply once more, and take the platform's word that the
 * right is used up for a sign that the message arrived.
 */
export function createPushed(inlet: Pick<Inlet, "cursor" | "acceptBatch">, account: Account): Pushed {
  let known: readonly string[] | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  const keys = async (): Promise<readonly string[]> => {
    known ??= JSON.parse((await inlet.cursor(account, CURSOR)) ?? "[]") as readonly string[]; // written below
    return known;
  };
  const add = async (key: string) => {
    const next = [...(await keys()), key].slice(-KEPT);
    const { result } = await inlet.acceptBatch([], { ...account, name: CURSOR, value: JSON.stringify(next) });
    if (result === "busy") return false;
    known = next;
    return true;
  };
  return {
    has: async (key) => (await keys()).includes(key),
    note: (key) => {
      const mine = turn.then(() => add(key));
      turn = mine.catch(() => undefined); // its own caller gets the error
      return mine;
    },
  };
}
