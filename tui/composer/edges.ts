import { splitGraphemes } from "../draw/width.js";

/** How far around a place its cluster is looked for; nothing that people write is longer. */
const NEAR = 256;

/** It never joins the letter beside it, and no emoji. */
const isPlain = (code: number): boolean => (code >= 0x20 && code < 0x7f) || (code >= 0xc0 && code < 0x300);
const isLow = (code: number): boolean => code >= 0xdc00 && code < 0xe000;

/** Where the cluster ends that begins at `at`. Only what is near is looked at, so that the length of the text costs nothing. */
export function after(text: string, at: number): number {
  if (at >= text.length) return text.length;
  if (text[at] === "\n") return at + 1;
  const next = text.charCodeAt(at + 1);
  if (isPlain(text.charCodeAt(at)) && (at + 1 >= text.length || next === 10 || isPlain(next))) return at + 1;
  const near = text.slice(at, at + NEAR);
  const end = near.indexOf("\n");
  return at + (splitGraphemes(end < 0 ? near : near.slice(0, end))[0]?.length ?? 1);
}

/** Where the cluster begins that ends at `at`. */
export function before(text: string, at: number): number {
  if (at <= 1) return 0;
  const last = text.charCodeAt(at - 1);
  if (last === 10 || isPlain(last)) return at - 1;
  return at - (splitGraphemes(text.slice(sure(text, at), at)).at(-1)?.length ?? 1);
}

/** A place before `at` where one cluster surely ends and another begins. */
function sure(text: string, at: number): number {
  const far = Math.max(0, at - NEAR);
  for (let place = at - 1; place > far; place--) {
    const left = text.charCodeAt(place - 1);
    if (left === 10 || (isPlain(left) && isPlain(text.charCodeAt(place)))) return place;
  }
  return far > 0 && isLow(text.charCodeAt(far)) ? far + 1 : far;
}

/** The beginning of the cluster that `at` stands in; `at` itself where it stands between two. */
export function snapped(text: string, at: number): number {
  const from = before(text, at);
  return after(text, from) > at ? from : at;
}

export const lineStart = (text: string, at: number): number => (at <= 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1);

export function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}
