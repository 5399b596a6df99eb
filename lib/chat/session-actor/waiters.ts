import type { AppError } from "../../base/errors.js";
import type { SubmitTurn, TurnResult } from "../../contracts/chat/chat.js";

/** A caller waits for the end of a turn whose message is in the queue. */
export interface Waiter {
  readonly turn: SubmitTurn;
  readonly resolve: (result: Promise<TurnResult>) => void;
  readonly reject: (error: unknown) => void;
}

/** Those who wait, by the item of their message. */
export class Waiters {
  readonly #all = new Map<string, Waiter>();

  get size(): number {
    return this.#all.size;
  }

  has(item: string): boolean {
    return this.#all.has(item);
  }

  /** Resolves with the result of the turn once `take` has handed its waiter out and that was resolved. */
  wait(item: string, turn: SubmitTurn): Promise<TurnResult> {
    return new Promise<TurnResult>((resolve, reject) => this.#all.set(item, { turn, resolve, reject }));
  }

  /** The turn of this item begins: its waiters wait for the turn from now on. */
  take(item: string): Waiter | undefined {
    const waiter = this.#all.get(item);
    this.#all.delete(item);
    return waiter;
  }

  /** The turn of this item will not begin. */
  forget(item: string, error: AppError): void {
    this.take(item)?.reject(error);
  }

  /** No turn begins any more. */
  forgetAll(error: () => AppError): void {
    for (const item of [...this.#all.keys()]) this.forget(item, error());
  }
}
