/** Makes something at its first use, once. What failed is made again at the next use: its cause may have been mended. */
export interface Once<T> {
  (): Promise<T>;
  /** What was made or is being made; undefined before the first use. */
  peek(): Promise<T> | undefined;
}

export function once<T>(make: () => Promise<T>): Once<T> {
  let made: Promise<T> | undefined;
  const get = () => {
    if (made === undefined) {
      const mine = make();
      made = mine;
      mine.catch(() => {
        if (made === mine) made = undefined;
      });
    }
    return made;
  };
  return Object.assign(get, { peek: () => made });
}

/** A stream that is opened when it is first read. */
export async function* lazyStream<T>(open: () => Promise<AsyncIterable<T>>): AsyncGenerator<T> {
  yield* await open();
}
