/** Unix seconds of what a field for a time of this place says (`2026-11-20T09:00`); NaN when it says none. */
export const unixFromLocal = (text: string): number => Math.floor(new Date(text).getTime() / 1000);

/** An instant as a field for a time shows it. */
export function localFromUnix(seconds: number): string {
  const at = new Date(seconds * 1000);
  const two = (n: number): string => String(n).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`;
}
