/** A value that components look at and that events replace. Values are never changed in place. */
export interface Store<S> {
  get(): S;
  set(next: S): void;
  /** Replace it by what `change` makes of it; the same value back means that nothing happened. */
  update(change: (now: S) => S): void;
  /** Call `listener` after every replacement, until the answer is called. */
  subscribe(listener: () => void): () => void;
}

/** Make a store that begins with `initial`. */
export function createStore<S>(initial: S): Store<S> {
  let now = initial;
  const listeners = new Set<() => void>();
  const set = (next: S): void => {
    if (Object.is(next, now)) return;
    now = next;
    for (const listener of [...listeners]) listener();
  };
  return {
    get: () => now,
    set,
    update: (change) => set(change(now)),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
