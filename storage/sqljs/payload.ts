import { AppError } from "../../lib/base/errors.js";
import type { EpochMs } from "../../lib/base/units.js";
import type { Value } from "../store.js";
import { MAX_PAYLOAD } from "./frame.js";

/** A statement that changed rows, as it goes to the journal. */
export interface Change {
  readonly sql: string;
  readonly args: readonly Value[];
  readonly rows: number;
}

/** A transaction as it comes back from the journal. */
export interface Replay {
  readonly label: string;
  readonly at: EpochMs;
  /** The files that held what it removed have to go, too. */
  readonly purge: boolean;
  readonly changes: readonly Change[];
}

/** Numbers of statements in one segment. A segment defines each at its first use, so it replays without knowing what release wrote it. */
export type Dictionary = Map<string, number>;

/** `d`: statements defined here. `s`: statement, arguments, rows changed. `p`: 1 for a purge. */
interface Record {
  l: string;
  t: EpochMs;
  p?: 1;
  d?: [number, string][];
  s: [number, readonly Value[], number][];
}

/** A transaction in the form of the journal. `forget`: it was not committed after all, its definitions do not count. */
export interface Rendered {
  readonly text: string;
  readonly bytes: number;
  forget(): void;
}

/**
 * Text of a transaction for the journal; new statements enter `dictionary`.
 *
 * @throws E_TOO_LARGE above 64 MiB, and then the dictionary is as it was
 */
export function renderTransaction(dictionary: Dictionary, transaction: Replay): Rendered {
  const defined: [number, string][] = [];
  const numberOf = (sql: string) => {
    const known = dictionary.get(sql);
    if (known !== undefined) return known;
    const fresh = dictionary.size;
    dictionary.set(sql, fresh);
    defined.push([fresh, sql]);
    return fresh;
  };
  const changes = transaction.changes.map(({ sql, args, rows }): [number, readonly Value[], number] => [
    numberOf(sql),
    args,
    rows,
  ]);
  const record: Record = {
    l: transaction.label,
    t: transaction.at,
    ...(transaction.purge ? { p: 1 } : {}),
    ...(defined.length > 0 ? { d: defined } : {}),
    s: changes,
  };
  const text = JSON.stringify(record);
  const bytes = Buffer.byteLength(text);
  const forget = () => {
    for (const [, sql] of defined) dictionary.delete(sql);
  };
  if (bytes <= MAX_PAYLOAD - 2) return { text, bytes, forget };
  forget();
  throw tooLarge(transaction.label);
}

/** The refusal of a transaction that no frame can hold. */
export function tooLarge(label: string): AppError {
  return new AppError("E_TOO_LARGE", `${label}: a transaction may change at most 64 MiB`, { label });
}

/** Transactions of a frame; `statements` grows by what they define. */
export function parseFrame(payload: Buffer, statements: Map<number, string>): Replay[] {
  const records = JSON.parse(payload.toString("utf8")) as Record[]; // the checksum proves that renderTransaction wrote it
  return records.map((record) => {
    for (const [number, sql] of record.d ?? []) statements.set(number, sql);
    return {
      label: record.l,
      at: record.t,
      purge: record.p === 1,
      changes: record.s.map((one) => toChange(one, statements)),
    };
  });
}

function toChange(
  [number, args, rows]: [number, readonly Value[], number],
  statements: ReadonlyMap<number, string>,
): Change {
  const sql = statements.get(number);
  if (sql === undefined) throw new AppError("E_STORE", `statement ${number} is not defined`, { reason: "damaged" });
  return { sql, args, rows };
}
