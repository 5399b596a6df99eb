/** Says in a test that something happened; costs nothing in production, where it is not passed. */
export interface TestSignal<T = void> {
  emit(value: T): void;
}

/** A signal that a test can wait for. Each emission is handed to one `next`, in order. */
export function testSignal<T = void>(): TestSignal<T> & { next(): Promise<T> } {
  const seen: T[] = [];
  const waiting: ((value: T) => void)[] = [];
  return {
    emit: (value) => {
      const first = waiting.shift();
      if (first) first(value);
      else seen.push(value);
    },
    next: () =>
      new Promise((resolve) => {
        const early = seen.splice(0, 1);
        for (const value of early) resolve(value);
        if (early.length === 0) waiting.push(resolve);
      }),
  };
}
