import { AppError, assert } from "../lib/base/errors.js";
import type { Args, DomainEvent, Query, Row, Tx } from "./store.js";

/** What a body needs of an open transaction. */
export interface TxPort {
  all(sql: string, args: Args): Promise<Row[]>;
  /** Absent: made of what `all` gives. */
  text?(sql: string, args: Args): Promise<Uint8Array>;
  run(sql: string, args: Args): Promise<number>;
  emit(event: DomainEvent): void;
}

/** A session that is ended by the one who opened it. */
export interface EndingPort extends TxPort {
  commit(): Promise<void>;
  rollback(): Promise<void>;
  rewind(): Promise<void>;
}

/** The methods that a body gets. `record` hears of every statement with its answer. */
export function transaction(
  port: TxPort,
  kind: "read" | "write",
  record: (what: unknown) => void = () => undefined,
): Tx {
  const all = async (sql: string, args: Args = []) => {
    const rows = await port.all(sql, args);
    record([sql, args, rows]);
    return rows;
  };
  const query: Query = {
    all: async <R>(sql: string, args?: Args) => (await all(sql, args)) as R[], // the caller names the columns that its SQL selects
    get: async <R>(sql: string, args?: Args) => (await all(sql, args))[0] as R | undefined, // the same
    text: async (sql, args = []) => {
      const bytes = await textFrom(port, sql, args);
      record([sql, args, bytes.length]);
      return bytes;
    },
  };
  return {
    ...query,
    run: async (sql, args = []) => {
      if (kind === "read") throw new AppError("E_INVALID", `a read must not change anything: ${sql.slice(0, 200)}`);
      const rows = await port.run(sql, args);
      record([sql, args, rows]);
      return rows;
    },
    emit: (event) => {
      if (kind === "read") throw new AppError("E_INVALID", `event ${event.kind}: a read cannot emit events`);
      record([event]);
      port.emit(event);
    },
  };
}

/** How a body is run. */
export interface BodyOptions {
  readonly kind: "read" | "write";
  readonly label: string;
  /** Run it, undo it, run it again, and compare: a difference is an effect outside the transaction, or chance in it. */
  readonly rehearse: boolean;
}

/** Run a body in an open session and end it: committed when it returns, rolled back when it throws. */
export async function runBody<T>(port: EndingPort, options: BodyOptions, body: (tx: Tx) => Promise<T>): Promise<T> {
  const over = { now: false };
  let result: T;
  try {
    const rehearsal = options.rehearse ? await perform(port, options, body, over) : undefined;
    if (rehearsal) await port.rewind();
    const show = await perform(port, options, body, over);
    if (rehearsal) compare(options.label, rehearsal, show);
    result = show.result;
  } catch (error) {
    over.now = true;
    await port.rollback();
    throw error;
  }
  over.now = true;
  await port.commit();
  return result;
}

interface Performance<T> {
  readonly result: T;
  readonly trace: readonly string[];
}

async function perform<T>(
  port: TxPort,
  options: BodyOptions,
  body: (tx: Tx) => Promise<T>,
  over: { now: boolean },
): Promise<Performance<T>> {
  const trace: string[] = [];
  const guarded: TxPort = {
    all: (sql, args) => (over.now ? late(options.label) : port.all(sql, args)),
    text: (sql, args) => (over.now ? late(options.label) : textFrom(port, sql, args)),
    run: (sql, args) => (over.now ? late(options.label) : port.run(sql, args)),
    emit: (event) => {
      assert(!over.now, `${options.label}: its transaction is over`);
      port.emit(event);
    },
  };
  const result = await body(
    transaction(guarded, options.kind, options.rehearse ? (what) => trace.push(JSON.stringify(what)) : undefined),
  );
  return { result, trace };
}

const textFrom = async (port: TxPort, sql: string, args: Args): Promise<Uint8Array> =>
  (await port.text?.(sql, args)) ?? utf8Of(await port.all(sql, args));

/** The first columns, which hold texts, one behind the other. */
export const utf8Of = (rows: readonly Row[]): Uint8Array =>
  Buffer.from(rows.map((row) => Object.values(row)[0] ?? "").join(""));

function late(label: string): Promise<never> {
  return Promise.reject(new AppError("E_INTERNAL", `${label}: the transaction has ended`));
}

function compare(label: string, first: Performance<unknown>, second: Performance<unknown>): void {
  const at = first.trace.findIndex((entry, index) => entry !== second.trace[index]);
  assert(
    at < 0 && first.trace.length === second.trace.length,
    `${label} does the same when it runs twice (statement ${at})`,
  );
  assert(
    JSON.stringify(first.result) === JSON.stringify(second.result),
    `${label} gives the same result when it runs twice`,
  );
}
