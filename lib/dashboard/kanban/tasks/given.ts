import * as z from "zod";
import { parseDuration } from "../../../commands/render/times.js";

/** A length of time as people write it, in seconds. */
export const runtime = z
  .union([z.int().min(1), z.string()])
  .describe("Seconds, or a duration (90, 15m, 1.5h).")
  .transform((given) => (typeof given === "number" ? given : parseDuration(given)));

/** Name of the author. */
export const author = z
  .string()
  .trim()
  .max(200)
  .regex(/^[^\p{Cc}\u2028\u2029]*$/u, "no control characters")
  .nullish();

/** Why it is done: kept in the event. */
export const reasonField = z.string().max(4_096).nullish();

type Given<T> = { readonly [Key in keyof T]: Exclude<T[Key], null> };

/** Null is the same as a key that is left out, where nothing is there yet that it could clear. */
export function withoutNulls<T extends object>(given: T): Given<T> {
  // What is left out has exactly the values that are not null.
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)) as Given<T>;
}
