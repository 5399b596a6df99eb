/** Alternatives that one `{a,b}` pattern may make. */
const ALTERNATIVES_AT_MOST = 256;

/** A pattern ready to be compared. Braces make alternatives; each is compared in time linear in pattern times text. */
export interface Glob {
  /** The whole text matches; `*` and `?` match any character. */
  word(text: string): boolean;
  /** The whole path matches, segment by segment: `**` stands for any number of them, `*` stays within one. */
  path(path: string): boolean;
}

export function glob(pattern: string, ignoreCase = false): Glob {
  const fold = (text: string) => (ignoreCase ? text.toLowerCase() : text);
  const words = alternatives(fold(pattern));
  const paths = words.map((one) => one.split("/"));
  return {
    word: (text) => words.some((one) => matchSegment(one, fold(text))),
    path: (path) => {
      const parts = fold(path).split("/");
      return paths.some((one) => matchParts(one, parts));
    },
  };
}

/** Expand `{a,b}`; nested ones from inside out. */
function alternatives(pattern: string): readonly string[] {
  const open = [pattern];
  const done: string[] = [];
  while (open.length > 0) {
    const next = open.pop() ?? "";
    const match = /\{([^{}]*,[^{}]*)\}/.exec(next);
    if (match === null || done.length + open.length >= ALTERNATIVES_AT_MOST) done.push(next);
    else
      for (const part of (match[1] ?? "").split(","))
        open.push(next.slice(0, match.index) + part + next.slice(match.index + match[0].length));
  }
  return done;
}

/** Each row is what the first segments of the pattern can match; one pass over the path per pattern segment. */
function matchParts(pattern: readonly string[], parts: readonly string[]): boolean {
  let reach = new Array<boolean>(parts.length + 1).fill(false);
  reach[0] = true;
  for (const [index, segment] of pattern.entries()) {
    const next = new Array<boolean>(parts.length + 1).fill(false);
    if (segment === "**") {
      // At the end `a/**` means what is below `a`, and `a` itself is not.
      const least = index === pattern.length - 1 && index > 0 ? 1 : 0;
      let seen = false;
      for (let at = 0; at <= parts.length; at++) {
        seen ||= reach[at - least] === true;
        next[at] = seen;
      }
    } else {
      for (let at = 0; at < parts.length; at++)
        if (reach[at] === true) next[at + 1] = matchSegment(segment, parts[at] ?? "");
    }
    reach = next;
  }
  return reach[parts.length] === true;
}

/** `*`, `?`, `[a-z]`, `[!a]` and `\x` in one piece of text. On a mismatch only the last star gives way, so it stays linear per star. */
export function matchSegment(pattern: string, text: string): boolean {
  let p = 0;
  let t = 0;
  let star = -1;
  let mark = 0;
  while (t < text.length) {
    const size = pattern[p] === "*" ? 0 : matchOne(pattern, p, text[t] ?? "");
    if (pattern[p] === "*") {
      star = p;
      mark = t;
      p += 1;
    } else if (size > 0) {
      p += size;
      t += 1;
    } else if (star !== -1) {
      p = star + 1;
      mark += 1;
      t = mark;
    } else return false;
  }
  while (pattern[p] === "*") p += 1;
  return p === pattern.length;
}

/** Length of the pattern piece at `p` when it matches the character, else 0. */
function matchOne(pattern: string, p: number, char: string): number {
  const first = pattern[p];
  if (first === undefined) return 0;
  if (first === "?") return 1;
  if (first === "\\") return pattern[p + 1] === char ? 2 : 0;
  if (first !== "[") return first === char ? 1 : 0;
  const negated = pattern[p + 1] === "!" || pattern[p + 1] === "^";
  const from = p + (negated ? 2 : 1);
  const end = pattern.indexOf("]", from + 1);
  if (end === -1) return char === "[" ? 1 : 0;
  return inSet(pattern.slice(from, end), char) === negated ? 0 : end - p + 1;
}

function inSet(set: string, char: string): boolean {
  for (let at = 0; at < set.length; at++) {
    const last = set[at + 1] === "-" ? set[at + 2] : undefined;
    if (last === undefined) {
      if (set[at] === char) return true;
    } else {
      if (char >= (set[at] ?? "") && char <= last) return true;
      at += 2;
    }
  }
  return false;
}
