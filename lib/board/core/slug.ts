import { AppError } from "../../base/errors.js";
import type { BoardSlug } from "../../base/units.js";

/** A slug, trimmed and in lower case. @throws E_BAD_BOARD */
export function parseSlug(given: string): BoardSlug {
  const slug = given.trim().toLowerCase();
  if (!/^[a-z0-9][a-z0-9_-]{0,63}$/.test(slug))
    throw new AppError("E_BAD_BOARD", `invalid board slug ${JSON.stringify(given.slice(0, 80))}`);
  return slug as BoardSlug; // the pattern is what the brand stands for
}
