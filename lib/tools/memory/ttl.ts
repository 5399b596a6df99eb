const FACTORS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000, y: 31_536_000_000 } as const;
const YEARS_AT_MOST = 100;

/** Milliseconds of a duration as a model writes it: `12h`, `30d`, `2 weeks`; a text says what is wrong with it. */
export function timeToLive(given: string): number | string {
  const found = /^(\d{1,6}(?:\.\d{1,3})?)\s*(m|h|d|w|y)(?:in(?:ute)?s?|ours?|ays?|eeks?|ears?)?$/i.exec(given.trim());
  const [, number = "", unit = ""] = found ?? [];
  const ms = Math.round(Number(number) * FACTORS[unit.toLowerCase() as keyof typeof FACTORS]); // the pattern allows only these letters
  if (found !== null && ms >= FACTORS.m && ms <= YEARS_AT_MOST * FACTORS.y) return ms;
  return `expires: '${given.slice(0, 40)}' is no duration; write a number with m, h, d, w or y, e.g. 12h or 30d`;
}
