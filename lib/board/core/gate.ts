/** Calls of one board that run side by side, and one that has the board for itself. */
export interface BoardGate {
  /** Run beside other calls; waits while a caller has the board alone. */
  enter<T>(board: string, work: () => Promise<T>): Promise<T>;
  /** Run when every call that entered is over; later ones wait. `work` must not enter the same board. */
  alone<T>(board: string, work: () => Promise<T>): Promise<T>;
}

interface Door {
  inside: number;
  /** Told when the last one has left. */
  empty: (() => void) | undefined;
  /** A caller has the board alone. */
  shut: Promise<unknown> | undefined;
}

export function createGate(): BoardGate {
  const doors = new Map<string, Door>();
  const doorOf = (board: string): Door => {
    const door = doors.get(board) ?? { inside: 0, empty: undefined, shut: undefined };
    doors.set(board, door);
    return door;
  };
  const left = (board: string, door: Door): void => {
    door.inside -= 1;
    if (door.inside > 0) return;
    door.empty?.();
    if (door.shut === undefined && doors.get(board) === door) doors.delete(board);
  };
  return {
    enter: async (board, work) => {
      let door = doorOf(board);
      // Looking and entering are one step: no caller comes between them.
      for (; door.shut !== undefined; door = doorOf(board)) await door.shut;
      door.inside += 1;
      try {
        return await work();
      } finally {
        left(board, door);
      }
    },
    alone: async (board, work) => {
      let door = doorOf(board);
      for (; door.shut !== undefined; door = doorOf(board)) await door.shut;
      let reopen: () => void = () => undefined;
      door.shut = new Promise<void>((resolve) => {
        reopen = resolve;
      });
      try {
        if (door.inside > 0) await emptied(door);
        return await work();
      } finally {
        doors.delete(board);
        reopen();
      }
    },
  };
}

function emptied(door: Door): Promise<void> {
  return new Promise((resolve) => {
    door.empty = resolve;
  });
}

/** Puts a method behind the gate of its first parameter, the board. */
export const behindGate =
  (gate: BoardGate) =>
  <B extends string, A extends readonly unknown[], R>(method: (board: B, ...rest: A) => Promise<R>) =>
  (board: B, ...rest: A): Promise<R> =>
    gate.enter(board, () => method(board, ...rest));
