import { AppError } from "../lib/base/errors.js";
import type { Args, DomainEvent, Value } from "./store.js";

/**
 * Bring a text into the form that every engine stores alike: U+0000 becomes U+FFFD (one library cuts text there, PostgreSQL refuses it),
 * lone surrogates become U+FFFD (they are not UTF-8).
 */
export function storableText(text: string): string {
  if (text.isWellFormed() && !text.includes("\0")) return text; // nearly every text, and looking takes a tenth of the time of replacing
  return text.toWellFormed().replaceAll("\0", "\ufffd");
}

/** The one place where values are checked and normalised before they are bound. */
export function storable(value: unknown, where: string): Value {
  if (typeof value === "string") return storableText(value);
  if (value === null) return null;
  if (typeof value !== "number")
    throw new AppError("E_INVALID", `${where} is ${kindOf(value)}: text, number or null can be stored`);
  if (!Number.isFinite(value)) throw new AppError("E_INVALID", `${where} is ${value}: numbers must be finite`);
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new AppError("E_INVALID", `${where} is ${value}: whole numbers must be at most 2^53-1`);
  }
  return value === 0 ? 0 : value; // -0 becomes 0: SQLite has no negative zero in an integer column
}

function kindOf(value: unknown): string {
  if (value === undefined) return "undefined";
  return ArrayBuffer.isView(value) ? "a blob" : `a ${typeof value}`;
}

/** Normalised arguments of a statement that has `count` placeholders. A missing argument would be stored as NULL in silence. */
export function storableArgs(args: Args, count: number, sql: string): Value[] {
  if (args.length !== count) {
    throw new AppError("E_INVALID", `${count} placeholders and ${args.length} arguments in: ${sql.slice(0, 200)}`);
  }
  return Array.from(args, (value, at) => storable(value, `argument ${at + 1}`));
}

/** Place of the payload in `eventArgs`. */
export const EVENT_PAYLOAD = 6;

/** Arguments of `EVENT_INSERT` for an event. */
export function eventArgs(event: DomainEvent): Value[] {
  const payload: unknown = JSON.stringify(event.payload);
  if (typeof payload !== "string")
    throw new AppError("E_INVALID", `event ${event.kind}: the payload is not a JSON object`);
  const given = [event.kind, event.task, event.run, event.session, event.turn, event.actor, payload, event.at];
  return given.map((value, at) => storable(value ?? null, `event ${event.kind}, column ${at + 1}`));
}

/** What JSON would change in silence is refused before an event travels as JSON. @throws E_INVALID */
export function checkEvent(event: DomainEvent): void {
  storable(event.at, `event ${event.kind}, time`);
  if (event.run !== undefined) storable(event.run, `event ${event.kind}, run`);
}
