/**
 * Asks whose answers are shown in the order of the questions: an answer that comes after that of a later question is old, and not shown.
 *
 * @returns asks once; resolves when its answer is shown or left out, and rejects as the question does
 */
export function createInOrder<T>(show: (answer: T) => void): (ask: () => Promise<T>) => Promise<void> {
  let asked = 0;
  let shown = 0;
  return async (ask) => {
    const mine = ++asked;
    const answer = await ask();
    if (mine < shown) return;
    shown = mine;
    show(answer);
  };
}
