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

type Call = (...args: readonly unknown[]) => unknown;

/**
 * An interface whose implementation is made at the first call, so that a short command loads only what it uses. Every method of `T` must
 * return a promise, except those named in `streams`, which return async iterables.
 */
export function lazily<T extends object>(make: () => Promise<T>, streams: readonly (keyof T & string)[] = []): T {
  const call = async (name: string, args: readonly unknown[]): Promise<unknown> => {
    const api = await make();
    return (Reflect.get(api, name) as Call).apply(api, args as unknown[]); // only names of methods are asked for
  };
  async function* stream(name: string, args: readonly unknown[]): AsyncGenerator<unknown> {
    yield* (await call(name, args)) as AsyncIterable<unknown>; // the caller named it as a stream
  }
  const methods = new Map<string, Call>();
  return new Proxy<T>({} as T, {
    // the handler answers for every member
    get: (_target, name) => {
      if (typeof name !== "string" || name === "then") return undefined; // it is not a promise
      const known = methods.get(name);
      if (known) return known;
      const streaming = (streams as readonly string[]).includes(name);
      const method: Call = streaming ? (...args) => stream(name, args) : (...args) => call(name, args);
      methods.set(name, method);
      return method;
    },
  });
}

/** One interface of two: `near` has the methods that are named, `rest` all others. */
export function splitInterface<T extends object, Name extends keyof T & string>(
  names: readonly Name[],
  near: Pick<T, Name>,
  rest: T,
): T {
  const own: ReadonlySet<unknown> = new Set(names);
  return new Proxy(rest, { get: (target, name) => Reflect.get(own.has(name) ? near : target, name) });
}
