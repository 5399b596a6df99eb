import { AppError } from "../../base/errors.js";

/** Bounds of board part 21, in bytes of UTF-8 except for the title (characters). */
const BOUNDS = {
  title: 300,
  body: 256 * 1024,
  comment: 64 * 1024,
  reason: 4 * 1024,
  summary: 32 * 1024,
  result: 32 * 1024,
  metadata: 64 * 1024,
} as const;

const NAMES = Object.keys(BOUNDS) as readonly (keyof typeof BOUNDS)[]; // its own keys

/** @throws E_TOO_LARGE naming the first text that is over its bound */
export function checkTexts(texts: Partial<Record<keyof typeof BOUNDS, string | undefined | null>>): void {
  for (const name of NAMES) {
    const text = texts[name];
    const bound = BOUNDS[name];
    if (text == null || text.length <= bound / 3) continue; // three bytes a unit at most: nearly every text, and counting it takes longer
    const size = name === "title" ? [...text].length : Buffer.byteLength(text);
    if (size > bound)
      throw new AppError("E_TOO_LARGE", `${name} is too long: ${size} (limit ${bound})`, { name, size, bound });
  }
}

/** A trimmed title. @throws E_INVALID when blank, E_TOO_LARGE when too long */
export function checkTitle(given: string): string {
  const title = given.trim();
  if (title === "") throw new AppError("E_INVALID", "title is required");
  checkTexts({ title });
  return title;
}

/** At most `max` characters of an error text. */
export const clip = (text: string, max: number): string => (text.length <= max ? text : text.slice(0, max));

/** Why a task is blocked whose tokens are used up. */
export const budgetReason = (used: number, max: number): string => `token budget used up: ${used} of ${max}`;
