import * as z from "zod";

/** A switch of a query: `true`, `1`, `yes`, `on`, or the opposite. Absent means no. */
export const flag = (about: string) => z.stringbool().default(false).describe(about);

/** A whole number of a query, in decimal digits. */
export const whole = (min: number, max: number, about: string) =>
  z
    .string()
    .regex(/^\d{1,15}$/, "a whole number is expected")
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .describe(`${about}; ${min} to ${max}`);
