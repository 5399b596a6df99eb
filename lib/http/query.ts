import * as z from "zod";

/** A switch of a query: `true`, `1`, `yes`, `on`, or the opposite. Absent means no. */
export const switchOf = (about: string) => z.stringbool().default(false).describe(about);

/** A whole number of a query, in decimal digits. */
export const integerOf = (min: number, max: number, about: string) =>
  z
    .string()
    .regex(/^\d{1,15}$/, "must be a whole number")
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .describe(`${about}; ${min} to ${max}`);
