/** Likeness of short texts by their words: no model, no index. A memory has at most some hundred entries. */

const STOP = new Set(
  (
    "a an and are as at be been but by can do does for from had has have he her his how i if in into is it its me my no not of on or our she so that the " +
    "their them then there these they this to us user was we were what when which who will with you your"
  ).split(" "),
);

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** The words of a text that carry its meaning, in one form each. */
function wordsOf(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [word] of text
    .normalize("NFKC")
    .toLowerCase()
    .matchAll(/[\p{L}\p{N}_]+/gu)) {
    if (CJK.test(word)) for (const pair of pairsOf(word)) found.add(pair);
    else if (!STOP.has(word)) found.add(stem(word));
  }
  return found;
}

/** Scripts without blanks between words: each two characters. */
function pairsOf(word: string): readonly string[] {
  const signs = [...word];
  return signs.length === 1 ? signs : signs.slice(1).map((sign, at) => `${signs[at]}${sign}`);
}

/** Common endings fall, so that `prefers` is `prefer` and `testing` is `test`. */
function stem(word: string): string {
  if (word.length > 5 && word.endsWith("ing")) return word.slice(0, -3);
  if (word.length > 4 && word.endsWith("ed")) return word.slice(0, -2);
  if (word.length > 3 && word.endsWith("s") && !word.endsWith("ss")) return word.slice(0, -1);
  return word;
}

interface Text {
  readonly text: string;
}

/** How much a word says: the fewer entries have it, the more. */
type Weight = (word: string) => number;

function weightIn(sets: readonly ReadonlySet<string>[]): Weight {
  const counts = new Map<string, number>();
  for (const set of sets) for (const word of set) counts.set(word, (counts.get(word) ?? 0) + 1);
  return (word) => Math.log(1 + (sets.length + 1) / ((counts.get(word) ?? 0) + 1));
}

const total = (words: Iterable<string>, weight: Weight): number => {
  let sum = 0;
  for (const word of words) sum += weight(word);
  return sum;
};

const NEAR_FROM = 0.5;
const NEAREST = 3;

/** The entries that say nearly the same as a text, at most three, nearest first: what they share is half of the shorter one or more. */
export function nearestEntries<E extends Text>(text: string, entries: readonly E[]): readonly E[] {
  const own = wordsOf(text);
  const sets = entries.map((entry) => wordsOf(entry.text));
  const weight = weightIn([own, ...sets]);
  return entries
    .map((entry, at) => ({ entry, score: likeness(own, sets[at] ?? new Set(), weight) }))
    .filter(({ score }) => score >= NEAR_FROM)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, NEAREST)
    .map(({ entry }) => entry);
}

function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>, weight: Weight): number {
  const shared = [...one].filter((word) => other.has(word));
  const shorter = Math.min(one.size, other.size);
  if (shared.length === 0 || (shared.length === 1 && shorter > 2)) return 0;
  return total(shared, weight) / Math.min(total(one, weight), total(other, weight));
}

const FOUND_AT_MOST = 10;
/** A word that only begins like the one that is looked for counts less. */
const BEGINNING = 0.6;

/** The entries that have words of a query, best first. */
export function matching<E extends Text>(query: string, entries: readonly E[]): readonly E[] {
  const wanted = [...wordsOf(query)];
  const phrase = query.trim().toLowerCase();
  const sets = entries.map((entry) => wordsOf(entry.text));
  const weight = weightIn(sets);
  return entries
    .map((entry, at) => ({ entry, score: scoreOf(wanted, sets[at] ?? new Set(), weight) + bonus(phrase, entry) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, FOUND_AT_MOST)
    .map(({ entry }) => entry);
}

const bonus = (phrase: string, { text }: Text): number =>
  phrase.length > 2 && text.toLowerCase().includes(phrase) ? 10 : 0;

function scoreOf(wanted: readonly string[], words: ReadonlySet<string>, weight: Weight): number {
  let score = 0;
  for (const word of wanted) {
    if (words.has(word)) score += weight(word);
    else if (word.length > 2 && [...words].some((one) => one.startsWith(word))) score += BEGINNING * weight(word);
  }
  return score;
}
