import { isRecord } from "../base/json/record.js";

/** A copy of plain data, down to its leaves. Strings are shared, since nothing can change them; other objects (bytes, secrets) are passed on as they are. */
export function deepCopy<T>(value: T): T {
  if (Array.isArray(value)) return value.map(deepCopy) as T; // a list of the same things
  if (!isRecord(value) || !isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, deepCopy(inner)])) as T; // the same keys with copies
}

function isPlain(value: object): boolean {
  const proto: unknown = Object.getPrototypeOf(value);
  return proto === Object.prototype || proto === null;
}
