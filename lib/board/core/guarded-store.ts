import type { Store } from "../../../storage/store.js";
import { AppError } from "../../base/errors.js";

/** A store whose board may be removed while a caller holds it. */
export interface GuardedStore extends Store {
  /** The board is gone: calls that find the store closed get this error. */
  leave(): void;
}

/** Words for a board that is not there. */
export const noBoard = (slug: string): AppError =>
  new AppError("E_BOARD_NOT_FOUND", `no board '${slug}' (agent kanban boards create ${slug} creates it)`, {
    slug,
  });

/** The same store; "closed" becomes "no such board" once the board was removed. */
export function guardStore(store: Store, slug: string): GuardedStore {
  let gone = false;
  const told = (error: unknown): never => {
    if (gone && error instanceof AppError && error.data["reason"] === "closed") throw noBoard(slug);
    throw error;
  };
  return {
    name: store.name,
    read: (body) => store.read(body).catch(told),
    write: (label, body) => store.write(label, body).catch(told),
    script: (label, steps, events) => store.script(label, steps, events).catch(told),
    events: (after, limit) => store.events(after, limit).catch(told),
    lastSeq: () => store.lastSeq().catch(told),
    onEvents: (listener) => store.onEvents(listener),
    copyTo: (path) => store.copyTo(path).catch(told),
    purge: (body) => store.purge(body).catch(told),
    close: () => store.close(),
    leave: () => {
      gone = true;
    },
  };
}
