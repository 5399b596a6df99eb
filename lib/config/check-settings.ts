import type { ConfigKey } from "../contracts/config/config.js";
import { fitting, matchesKey } from "../contracts/ui/key-kinds.js";
import { leaves, type Settings } from "./read-settings.js";

export interface KeyFinding {
  readonly key: string;
  readonly message: string;
}

/** Unknown and mistyped keys of a settings file. An unknown key names the nearest known one. */
export function checkSettings(settings: Settings, keys: readonly ConfigKey<unknown>[]): KeyFinding[] {
  return leaves(settings).flatMap(([path, value]) => {
    if (path === "" || path === "_config_version") return [];
    const key = findKey(path, keys);
    if (!key) return isSection(path, value, keys) ? [] : [{ key: path, message: unknownKey(path, keys) }];
    if (key.key.split(".").length !== path.split(".").length) return [];
    const fits = fitting(key, value);
    return fits.ok || value === null
      ? []
      : [{ key: path, message: `${path} must be ${fits.wanted}, not ${JSON.stringify(value)}` }];
  });
}

/** What is wrong with keys of the file that no part of the program has. */
export const unknownKeys = (settings: Settings, keys: readonly ConfigKey<unknown>[]): readonly string[] =>
  checkSettings(settings, keys).flatMap(({ key, message }) => (findKey(key, keys) === undefined ? [message] : []));

const findKey = (path: string, keys: readonly ConfigKey<unknown>[]) =>
  keys.find((known) => matchesKey(known, path) || known.key === path);

function isSection(path: string, value: unknown, keys: readonly ConfigKey<unknown>[]): boolean {
  return value === null && keys.some((key) => key.key.startsWith(`${path}.`));
}

export function unknownKey(path: string, keys: readonly ConfigKey<unknown>[]): string {
  const best = nearest(
    path,
    keys.map((key) => key.key),
  );
  return `${path}: unknown key${best === undefined ? "" : `, did you mean ${best}?`}`;
}

/**
 * The known word that was nearly typed: one slip (a letter too many, too few, another one, or two changed places) in up to five letters, one for each
 * three in longer ones. Undefined: a guess would be a wild one.
 */
export function nearest(word: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let least = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of known) {
    const cost = distance(word, candidate, least);
    if (cost < least) {
      least = cost;
      best = candidate;
    }
  }
  return best;
}

/** Insertions, deletions, replacements and swaps of neighbours between two words; `limit` stands for all that are further apart. */
function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const replaced = (row[j - 1] ?? 0) + (same ? 0 : 1);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] ?? limit) + 1 : limit;
      next.push(Math.min(replaced, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? limit;
}
