import type { Clock } from "../../lib/base/clock.js";
import { AppError } from "../../lib/base/errors.js";
import type { Log } from "../../lib/base/log.js";
import type { Args, DomainEvent, Row, Step, StoredEvent, Tx } from "../store.js";
import type { Connection } from "./ops.js";

/** What happens once the commit is durable. */
export interface End {
  readonly settle: () => void;
  readonly events: readonly StoredEvent[];
}

/** One caller's part of a transaction. */
export interface Work {
  /** Its messages are sent without waiting for answers. */
  readonly pipelined: boolean;
  /** May be called again when the whole transaction has to be repeated. Never rejects. */
  readonly run: (begun: Promise<unknown>) => Promise<End>;
}

export interface Settle<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

export interface BodyFacts {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly log: Log;
  readonly label: string;
  readonly mayWrite: boolean;
}

/** A body that is open this long holds up everybody: it waits for something that is not the transaction. */
const SLOW_MS = 250;

/** A body: its failure undoes its own statements and nobody else's. */
export function runBody<T>(facts: BodyFacts, body: (tx: Tx) => Promise<T>, settle: Settle<T>): Work {
  const { send } = facts.connection;
  return {
    pipelined: false,
    run: async (begun) => {
      const open = openTx(facts);
      const cancel = facts.clock.after(SLOW_MS, () => facts.log.warning("transaction body is slow", { label: facts.label }));
      try {
        await begun;
        if (facts.mayWrite) await send({ op: "savepoint" });
        const value = await body(open.tx);
        const events = open.emitted.length > 0 ? await send({ op: "emit", events: open.emitted }) : [];
        if (facts.mayWrite) await send({ op: "release" });
        return { settle: () => settle.resolve(value), events };
      } catch (error) {
        if (facts.mayWrite) await undo(facts.connection);
        return { settle: () => settle.reject(error), events: [] };
      } finally {
        open.close();
        cancel();
      }
    },
  };
}

/** When nothing is left to undo, the transaction as a whole has failed, and the commit says so. */
async function undo(connection: Connection): Promise<void> {
  try {
    await connection.send({ op: "undo" });
  } catch {
    /* ok to lose: the commit that follows fails with the first cause. */
  }
}

function openTx({ connection, label, mayWrite }: BodyFacts): { tx: Tx; emitted: DomainEvent[]; close: () => void } {
  const emitted: DomainEvent[] = [];
  let live = true;
  const check = () => {
    if (!live) throw new AppError("E_INTERNAL", `the transaction ${label} has ended`);
  };
  const all = async (sql: string, args: Args = []): Promise<Row[]> => {
    check();
    return connection.send({ op: "all", sql, args, mayWrite });
  };
  const tx: Tx = {
    all: async <R>(sql: string, args?: Args) => (await all(sql, args)) as R[], // the caller names the columns that it selects
    get: async <R>(sql: string, args?: Args) => (await all(sql, args))[0] as R | undefined, // the same
    run: async (sql, args = []) => {
      check();
      return connection.send({ op: "run", sql, args });
    },
    emit: (event) => {
      check();
      emitted.push(event);
    },
  };
  return { tx, emitted, close: () => (live = false) };
}

export interface ScriptFacts {
  readonly label: string;
  readonly steps: readonly Step[];
  readonly events: readonly DomainEvent[];
}

/** A script: one message, whose failure undoes its own steps. */
export function runScript(connection: Connection, { steps, events }: ScriptFacts, settle: Settle<Row[][]>): Work {
  return {
    pipelined: true,
    run: async () => {
      try {
        const done = await connection.send({ op: "script", steps, events });
        return { settle: () => settle.resolve(done.rows), events: done.events };
      } catch (error) {
        return { settle: () => settle.reject(error), events: [] };
      }
    },
  };
}
