import type { Log } from "../../lib/base/log/log.js";
import type { Clock } from "../../lib/base/time/clock.js";
import { type EndingPort, runBody } from "../body.js";
import type { DomainEvent, Row, Step, StoredEvent, Tx } from "../store.js";
import type { Connection } from "./ops.js";

/** What happens once the commit is durable. */
export interface End {
  readonly settle: () => void;
  readonly events: readonly StoredEvent[];
}

/** One caller's part of a transaction. */
export interface Work {
  readonly writes: boolean;
  /** Its messages are sent without waiting for answers. */
  readonly pipelined: boolean;
  /** May be called again when the whole transaction has to be repeated. Never rejects. @param alone no other caller has a part in it */
  readonly run: (alone: boolean) => Promise<End>;
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
  readonly kind: "read" | "write";
  readonly rehearse: boolean;
}

/** A body that is open this long holds up everybody: it waits for something that is not the transaction. */
const SLOW_MS = 250;

/** A body: its failure undoes its own statements only. */
export function bodyWork<T>(facts: BodyFacts, body: (tx: Tx) => Promise<T>, settle: Settle<T>): Work {
  return {
    writes: facts.kind === "write",
    pipelined: false,
    run: async () => {
      const cancel = facts.clock.after(SLOW_MS, () =>
        facts.log.warning("transaction body is slow", { label: facts.label }),
      );
      const part = facts.kind === "write" ? writePart(facts.connection) : readPart(facts.connection);
      try {
        await part.begin();
        const value = await runBody(part.port, facts, body);
        return { settle: () => settle.resolve(value), events: part.events };
      } catch (error) {
        return { settle: () => settle.reject(error), events: [] };
      } finally {
        cancel();
      }
    },
  };
}

interface Part {
  readonly begin: () => Promise<unknown>;
  readonly port: EndingPort;
  /** Filled when the part has ended well. */
  readonly events: StoredEvent[];
}

const nothing = async () => undefined;

function readPart({ send }: Connection): Part {
  const port: EndingPort = {
    all: (sql, args) => send({ op: "all", sql, args, mayWrite: false }),
    run: (sql, args) => send({ op: "run", sql, args }),
    emit: () => undefined,
    commit: nothing,
    rollback: nothing,
    rewind: nothing,
  };
  return { begin: nothing, port, events: [] };
}

function writePart({ send }: Connection): Part {
  const emitted: DomainEvent[] = [];
  const events: StoredEvent[] = [];
  const begin = () => send({ op: "savepoint" });
  const undo = async () => {
    emitted.length = 0;
    try {
      await send({ op: "undo" });
    } catch {
      /* ok to lose: nothing is left to undo when the whole transaction has failed, and its commit says so. */
    }
  };
  const commit = async () => {
    try {
      if (emitted.length > 0) events.push(...(await send({ op: "emit", events: emitted })));
      await send({ op: "release" });
    } catch (error) {
      await undo();
      throw error;
    }
  };
  const port: EndingPort = {
    all: (sql, args) => send({ op: "all", sql, args, mayWrite: true }),
    run: (sql, args) => send({ op: "run", sql, args }),
    emit: (event) => {
      emitted.push(event);
    },
    commit,
    rollback: undo,
    rewind: async () => {
      await undo();
      await begin();
    },
  };
  return { begin, port, events };
}

/** A script: one message, whose failure undoes its own steps. */
export function scriptWork(
  connection: Connection,
  { steps, events }: { readonly steps: readonly Step[]; readonly events: readonly DomainEvent[] },
  settle: Settle<Row[][]>,
): Work {
  return {
    writes: true,
    pipelined: true,
    run: async (alone) => {
      try {
        const done = await connection.send({ op: "script", steps, events, alone });
        return { settle: () => settle.resolve(done.rows), events: done.events };
      } catch (error) {
        return { settle: () => settle.reject(error), events: [] };
      }
    },
  };
}
