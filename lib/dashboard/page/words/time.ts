const STEPS: readonly (readonly [seconds: number, unit: string])[] = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
  [1, "s"],
];

/** A length of time in its largest unit: `3 h`. Days are counted from two on. */
export function formatSpan(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const [size, unit] = STEPS.find(([step, name]) => whole >= step * (name === "d" ? 2 : 1)) ?? [1, "s"];
  return `${Math.floor(whole / size)} ${unit}`;
}

/** How far an instant is from now: `3 h ago`, `in 5 min`, `now`. Both are unix seconds. */
export function formatRelativeTime(at: number, now: number): string {
  const away = at - now;
  if (Math.abs(away) < 5) return "now";
  return away > 0 ? `in ${formatSpan(away)}` : `${formatSpan(-away)} ago`;
}

/** An instant for reading, in the time zone of the reader. */
export const formatInstant = (at: number): string =>
  new Date(at * 1000).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** An instant as a field for day and time holds it. */
export function toLocalFieldTime(at: number): string {
  const date = new Date(at * 1000);
  const two = (value: number) => String(value).padStart(2, "0");
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Unix seconds of what a field for day and time holds; undefined: it is none. */
export function parseLocalTime(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?$/.test(text)) return undefined;
  const at = new Date(text).getTime();
  return Number.isNaN(at) ? undefined : Math.floor(at / 1000);
}
