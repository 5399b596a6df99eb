/** Works one thing at a time, in the order in which they were asked for. */
export type RunOneByOne = <T>(work: () => Promise<T>) => Promise<T>;

export function oneByOne(): RunOneByOne {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => undefined); // its caller gets the error
    return mine;
  };
}
