import { utf8Of } from "./body.js";
import type { Args, Query, Row, Store, Tx } from "./store.js";

/** Statements without a transaction around several of them. */
export type Autocommit = Query & Pick<Tx, "run">;

/**
 * Statements each of which is a transaction of its own and travels in one message. A body keeps everybody else out while its answers are on their way to
 * a thread that has much to do; these do not keep others out. Not for stores that are opened for reading only.
 *
 * @param label of what they change
 */
export function autocommit(store: Pick<Store, "script">, label = "look"): Autocommit {
  const all = async <R>(sql: string, args: Args = []): Promise<R[]> => {
    const [rows = []] = await store.script(label, [{ sql, args }]);
    return rows as R[]; // the caller names the columns that its SQL selects
  };
  return {
    all,
    get: async <R>(sql: string, args?: Args) => (await all<R>(sql, args))[0],
    text: async (sql, args) => utf8Of(await all<Row>(sql, args)),
    run: async (sql, args) => (await all(`${sql} RETURNING 1 AS changed`, args)).length,
  };
}
