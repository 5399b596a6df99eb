/** How well a text matches, and where. Higher is better. */
export interface Match {
  readonly score: number;
  /** Positions in UTF-16 units of the letters that were found. */
  readonly at: readonly number[];
}

const EXACT = 1_000_000;
const WORD = 12; // a letter that begins a word
const NEXT = 7; // a letter right behind the one before
const EACH = 1;
const LATE = 0.05; // per place that the first letter comes later
const GAP = 0.02; // per letter left out between two
const NONE = Number.NEGATIVE_INFINITY;
const MAX_WORDS = 64;
const MAX_TEXT = 240;

/** What is looked for, ready to be compared with many texts. Small letters find both, a capital finds only itself. */
export interface Pattern {
  readonly words: string;
  readonly exact: boolean;
}

export function pattern(words: string): Pattern {
  const bare = words.replace(/\s+/g, "").slice(0, MAX_WORDS);
  const exact = bare !== bare.toLowerCase();
  return { words: exact ? bare : bare.toLowerCase(), exact };
}

/**
 * Fuzzy, in order: exact > beginnings of words > letters side by side > early. Undefined: it does not match. Blanks in the pattern do not count.
 * `text` is looked at as far as 240 characters.
 */
export function scoreOf(given: Pattern, text: string): number | undefined {
  if (given.words === "") return 0;
  const folded = foldedOf(given, text);
  if (!inOrder(given.words, folded)) return undefined;
  if (given.words === folded) return EXACT;
  const best = table(given.words, folded, text);
  return best === NONE ? undefined : best;
}

/** The same with the places of the letters, for what is shown. */
export function match(given: Pattern, text: string): Match | undefined {
  const score = scoreOf(given, text);
  if (score === undefined) return undefined;
  if (given.words === "") return { score, at: [] };
  const folded = foldedOf(given, text);
  table(given.words, folded, text);
  return { score, at: places(given.words.length, folded.length) };
}

/** Folding must not change lengths: positions are those of the text as it is shown. */
function foldedOf({ exact }: Pattern, text: string): string {
  const cut = text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) : text;
  if (exact) return cut;
  const low = cut.toLowerCase();
  return low.length === cut.length ? low : cut;
}

function inOrder(words: string, text: string): boolean {
  let from = 0;
  for (let i = 0; i < words.length; i++) {
    const at = text.indexOf(words.charAt(i), from);
    if (at < 0) return false;
    from = at + 1;
  }
  return true;
}

// One table for all: a list of ten thousand is scored at every key.
const scores = new Float64Array(MAX_WORDS * MAX_TEXT);
const before = new Int16Array(MAX_WORDS * MAX_TEXT);

/** Best score with letter i at place j, row by row; the best of the last row is the answer. */
function table(words: string, folded: string, text: string): number {
  const length = folded.length;
  let last = NONE;
  for (let i = 0; i < words.length; i++) {
    const letter = words.charCodeAt(i);
    let best = NONE; // of the row above, its gap counted from its place on
    let from = -1;
    last = NONE;
    for (let j = 0; j < length; j++) {
      const here = i * MAX_TEXT + j;
      if (i > 0 && j > 0) {
        const above = scores[here - MAX_TEXT - 1] ?? NONE;
        best -= GAP;
        if (above > best) {
          best = above;
          from = j - 1;
        }
      }
      const start = i === 0 ? -LATE * j : best;
      if (folded.charCodeAt(j) !== letter || start === NONE) {
        scores[here] = NONE;
        continue;
      }
      const own = EACH + (beginsWord(text, j) ? WORD : 0);
      const beside = i > 0 ? (scores[here - MAX_TEXT - 1] ?? NONE) + NEXT : NONE;
      const [value, way] = beside >= start ? [beside, j - 1] : [start, from];
      scores[here] = value + own;
      before[here] = way;
      if (value + own > last) last = value + own;
    }
  }
  return last;
}

function places(letters: number, length: number): number[] {
  const row = (letters - 1) * MAX_TEXT;
  let at = 0;
  for (let j = 1; j < length; j++) if ((scores[row + j] ?? NONE) > (scores[row + at] ?? NONE)) at = j;
  const found = [at];
  for (let i = letters - 1; i > 0; i--) {
    at = before[i * MAX_TEXT + at] ?? 0;
    found.unshift(at);
  }
  return found;
}

function beginsWord(text: string, at: number): boolean {
  if (at === 0) return true;
  const now = text.charCodeAt(at);
  const was = text.charCodeAt(at - 1);
  if (!isLetter(was)) return isLetter(now);
  return isCapital(now) && !isCapital(was);
}

const isCapital = (code: number): boolean => code >= 65 && code <= 90;
const isLetter = (code: number): boolean =>
  (code >= 48 && code <= 57) || isCapital(code) || (code >= 97 && code <= 122) || code > 127;
