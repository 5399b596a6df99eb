import { AppError } from "../errors.js";

/** Work for one session, chat or board, one piece at a time, in order. */
export interface Mailbox {
  /** Runs `work` after everything posted before it. Rejects with `E_BUSY` when `bound` pieces wait already. */
  post<T>(work: () => Promise<T>): Promise<T>;
  readonly waiting: number;
  /** Resolves when nothing waits or runs. */
  idle(): Promise<void>;
}

export function createMailbox(name: string, bound: number): Mailbox {
  let tail: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return {
    get waiting() {
      return waiting;
    },
    idle: async () => {
      while (waiting > 0) await tail;
    },
    post: (work) => {
      if (waiting >= bound)
        return Promise.reject(new AppError("E_BUSY", `${name}: queue full (limit ${bound})`, { bound }));
      waiting += 1;
      const mine = tail.then(work).finally(() => {
        waiting -= 1;
      });
      tail = mine.catch(() => undefined); // the caller of `post` gets the failure; the next piece must run anyway
      return mine;
    },
  };
}
