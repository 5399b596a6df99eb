/** Forms of a date: where year, month and day stand in them. */
const FORMS = [
  { pattern: /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ].*)?$/, order: [1, 2, 3] },
  { pattern: /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/, order: [3, 1, 2] },
  { pattern: /^(\d{4})\/(\d{1,2})\/(\d{1,2})$/, order: [1, 2, 3] },
  { pattern: /^(\d{1,2})-(\d{1,2})-(\d{4})$/, order: [3, 1, 2] },
  { pattern: /^(\d{4})(\d{2})(\d{2})$/, order: [1, 2, 3] },
];

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * A date as a number of days: Y-m-d, m/d/Y, Y/m/d, m-d-Y or Ymd. A time of day behind the first form is ignored.
 *
 * @param {string} text
 * @returns {number | undefined} undefined: not a date
 */
export function parseDay(text) {
  for (const { pattern, order } of FORMS) {
    const parts = pattern.exec(text.trim());
    if (parts === null) continue;
    const [year = 0, month = 0, day = 0] = order.map((at) => Number(parts[at]));
    const time = new Date(Date.UTC(year, month - 1, day));
    const isReal = time.getUTCFullYear() === year && time.getUTCMonth() === month - 1 && time.getUTCDate() === day;
    return isReal ? time.getTime() / DAY_MS : undefined;
  }
  return undefined;
}

/** @param {number} day */
export const renderDay = (day) => new Date(day * DAY_MS).toISOString().slice(0, 10);
