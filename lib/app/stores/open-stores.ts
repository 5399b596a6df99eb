import type { Closing, Store } from "../../../storage/store.js";
import { AppError, toAppError } from "../../base/errors.js";

type OnOpened = (() => void) | undefined;

/** Called, and awaited, before a store is handed out. What it returns is called when the store is closed before all others. */
export type OnStoreOpen = (store: Store) => OnOpened | Promise<OnOpened>;

/** The open stores of a process, each opened once. After `close` none is opened again: the home may have another owner by then. */
export interface OpenStores {
  /** The store with this name; `make` opens it at the first call. @throws E_OWNER_LOST after `close` */
  get<S extends Store>(name: string, make: () => Promise<S>): Promise<S>;
  /** A store that its caller closes; `close` waits for it, and closes it when the caller does not. @throws E_OWNER_LOST after `close` */
  lend<S extends Store>(make: () => Promise<S>): Promise<S>;
  has(name: string): boolean;
  entries(): readonly (readonly [string, Promise<Store>])[];
  onOpen(listener: OnStoreOpen): void;
  /** Close one store; it may be opened again. */
  closeOne(name: string): Promise<void>;
  /**
   * Close all of them, also those that are being opened. Resolves when nothing of them can write any more. Harmless twice.
   *
   * @throws the first failure, after every store had its turn
   */
  close(how: Closing): Promise<void>;
}

export function createOpenStores(): OpenStores {
  const open = new Map<string, Promise<Store>>();
  const lent = new Set<Promise<Store>>();
  const listeners: OnStoreOpen[] = [];
  const forget = new Map<string, (() => void)[]>();
  let closing: Promise<void> | undefined;

  const refuseClosed = () => {
    if (closing !== undefined) throw new AppError("E_OWNER_LOST", "the stores are closed");
  };
  const opened = async <S extends Store>(name: string, make: () => Promise<S>): Promise<S> => {
    const store = await make();
    try {
      const ends: (() => void)[] = [];
      for (const listener of listeners) ends.push((await listener(store)) ?? (() => undefined));
      forget.set(name, ends);
      return store;
    } catch (error) {
      await store.close("untouched"); // no one has it: it would be left open until the process ends
      throw error;
    }
  };
  return {
    get: async <S extends Store>(name: string, make: () => Promise<S>) => {
      refuseClosed();
      const known = open.get(name);
      if (known !== undefined) return (await known) as S; // each name is only ever made by one maker
      const made = opened(name, make);
      open.set(name, made);
      // A store that could not be opened is tried again at the next call: the user may have repaired it.
      made.catch(() => open.get(name) === made && open.delete(name));
      return made;
    },
    lend: async (make) => {
      refuseClosed();
      const made = make();
      lent.add(made);
      try {
        const store = await made;
        const close = store.close.bind(store);
        store.close = async (how) => {
          await close(how);
          lent.delete(made);
        };
        return store;
      } catch (error) {
        lent.delete(made);
        throw error;
      }
    },
    has: (name) => open.has(name),
    entries: () => [...open],
    onOpen: (listener) => {
      listeners.push(listener);
    },
    closeOne: async (name) => {
      const store = open.get(name);
      open.delete(name);
      for (const end of forget.get(name) ?? []) end();
      forget.delete(name);
      await (await store?.catch(() => undefined))?.close();
    },
    close: (how) => {
      closing ??= closeAll([...open.values(), ...lent], how);
      return closing;
    },
  };
}

/** One that fails keeps no other open. */
async function closeAll(stores: readonly Promise<Store>[], how: Closing): Promise<void> {
  let failure: AppError | undefined;
  for (const opening of stores) {
    const store = await opening.catch(() => undefined); // reported where it was opened
    try {
      await store?.close(how);
    } catch (error) {
      failure ??= toAppError(error);
    }
  }
  if (failure !== undefined) throw failure;
}
