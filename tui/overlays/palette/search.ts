import { match, pattern, scoreOf } from "../fuzzy.js";
import type { Entry, EntryKind, Hit, PaletteOverlay } from "./state.js";

export const SHOWN = 12; // workspace part, 7.1

/** First letters that narrow the search. */
const PREFIXES: Readonly<Record<string, readonly EntryKind[]>> = {
  ">": ["command", "action", "pane", "theme"],
  "@": ["file"],
  "#": ["task"],
  "~": ["session"],
  "%": ["model"],
};

const WEAK = 0.4; // of what the best one has: letters strewn over a long name do not count as a find beside a word
const MOST_EACH = 13;

interface Best {
  readonly entry: Entry;
  readonly score: number;
}

/** The best of what the input finds. Empty input: what was used last, else the actions. Ten thousand entries are searched within a key press. */
export function search({
  entries,
  recent,
  input,
}: Pick<PaletteOverlay, "entries" | "recent" | "input">): readonly Hit[] {
  const kinds = PREFIXES[input.text.charAt(0)];
  const words = (kinds === undefined ? input.text : input.text.slice(1)).trim();
  const pool = kinds === undefined ? entries : entries.filter((one) => kinds.includes(one.kind));
  if (words === "" && kinds === undefined) return unmarked(lastUsed(entries, recent));
  const given = pattern(words);
  const used = new Map(recent.map((key, at) => [key, at]));
  const best: Best[] = [];
  for (const entry of pool) {
    const score = scoreIn(entry, given);
    if (score !== undefined) keep(best, { entry, score }, used);
  }
  const least = WEAK * Math.min(best[0]?.score ?? 0, given.words.length * MOST_EACH);
  return best
    .filter(({ score }) => score >= least)
    .map(({ entry }) => ({ entry, marks: match(given, entry.name)?.at ?? [] }));
}

const unmarked = (entries: readonly Entry[]): readonly Hit[] => entries.map((entry) => ({ entry, marks: [] }));

function lastUsed(entries: readonly Entry[], recent: readonly string[]): readonly Entry[] {
  const known = new Map(entries.map((entry) => [entry.key, entry]));
  const last = recent.flatMap((key) => known.get(key) ?? []);
  return last.length > 0 ? last : entries.filter(({ kind }) => kind === "pane" || kind === "action").slice(0, SHOWN);
}

/** Its name counts before what else it is found by. */
function scoreIn({ name, also }: Entry, given: ReturnType<typeof pattern>): number | undefined {
  const own = scoreOf(given, name);
  const other = also === "" ? undefined : scoreOf(given, also);
  if (own === undefined) return other === undefined ? undefined : other - OTHER;
  return other === undefined || own >= other - OTHER ? own : other - OTHER;
}

const OTHER = 3;

/** Twelve at most are kept, in order; the rest is never sorted. */
function keep(best: Best[], one: Best, used: ReadonlyMap<string, number>): void {
  const last = best.at(-1);
  if (best.length === SHOWN && last !== undefined && before(last, one, used) <= 0) return;
  let at = best.length;
  while (at > 0) {
    const above = best[at - 1];
    if (above === undefined || before(above, one, used) <= 0) break;
    at -= 1;
  }
  best.splice(at, 0, one);
  if (best.length > SHOWN) best.pop();
}

/** Score, then how lately it was used, then its name. Negative: `a` stands above. */
function before(a: Best, b: Best, used: ReadonlyMap<string, number>): number {
  const score = Math.round(b.score) - Math.round(a.score);
  if (score !== 0) return score;
  const recent =
    (used.get(a.entry.key) ?? Number.MAX_SAFE_INTEGER) - (used.get(b.entry.key) ?? Number.MAX_SAFE_INTEGER);
  return recent !== 0 ? recent : a.entry.name < b.entry.name ? -1 : Number(a.entry.name > b.entry.name);
}
