import { reindent } from "./reindent.js";
import { closest, type FoundText, findByStrategies, type Lines, type Match, toLines } from "./strategies.js";

interface ReplaceParams {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all: boolean;
}

type Replaced =
  | { readonly ok: true; readonly text: string; readonly strategy: string }
  | { readonly ok: false; readonly error: string };

const CLOSEST = 3;

/** Replace `old_string` in a text, exactly or by the first strategy that finds it. */
export function replaceInText(text: string, given: ReplaceParams): Replaced {
  if (given.old_string === given.new_string) return no("old_string and new_string are identical; nothing would change");
  if (given.old_string === "")
    return no("old_string is empty; give the text to replace, or use write_file for the whole file");
  const file = toLines(text);
  const found = findByStrategies(file, given.old_string);
  if (found === undefined) return no(notFound(file, given.old_string));
  if (found.matches.length > 1 && !given.replace_all) return no(severalText(file, found));
  const drift = found.strategy === "exact" ? undefined : escapeDrift(text, given);
  if (drift !== undefined) return no(drift);
  return { ok: true, text: apply(text, found, given), strategy: found.strategy };
}

const no = (error: string): Replaced => ({ ok: false, error });

function apply(text: string, found: FoundText, given: ReplaceParams): string {
  const parts: string[] = [];
  let at = 0;
  for (const match of found.matches) {
    parts.push(
      text.slice(at, match.from),
      found.strategy === "exact" ? given.new_string : fit(text.slice(match.from, match.to), given, found.strategy),
    );
    at = match.to;
  }
  return parts.join("") + text.slice(at);
}

/** The new text as it belongs at a place that was found inexactly: indented like the old, with real tabs where the old has them. */
function fit(matched: string, given: ReplaceParams, strategy: string): string {
  let made = given.new_string;
  if (strategy === "escape_normalized" && matched.includes("\n")) made = made.replaceAll("\\n", "\n");
  if (matched.includes("\t")) made = made.replaceAll("\\t", "\t");
  if (matched.includes("\r")) made = made.replaceAll("\\r", "\r");
  if (strategy === "trimmed_boundary") return made.trim();
  return strategy === "escape_normalized" ? made : reindent(made, given.old_string, matched);
}

/** A model that escapes quotes for JSON twice would write the backslashes into the file. */
function escapeDrift(text: string, given: ReplaceParams): string | undefined {
  for (const mark of ["\\'", '\\"']) {
    if (given.old_string.includes(mark) && given.new_string.includes(mark) && !text.includes(mark)) {
      return `escape drift: old_string and new_string hold ${mark}, the file does not; write the quotes without backslashes`;
    }
  }
  return undefined;
}

function lineOf(file: Lines, match: Match): number {
  let low = 0;
  let high = file.lines.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((file.starts[middle] ?? 0) <= match.from) low = middle;
    else high = middle - 1;
  }
  return low + 1;
}

function severalText(file: Lines, found: FoundText): string {
  const lines = found.matches.slice(0, 20).map((match) => lineOf(file, match));
  const more = found.matches.length > lines.length ? ", ..." : "";
  return `Found ${found.matches.length} matches for old_string, at lines ${lines.join(", ")}${more}. Add surrounding lines to make it unique, or use replace_all`;
}

function notFound(file: Lines, old: string): string {
  const places = closest(file, old, CLOSEST);
  if (places.length === 0) return "Could not find old_string in the file, nor anything like it";
  const shown = places.map(({ line, text }) => `line ${line}:\n${text}`).join("\n---\n");
  return `Could not find old_string in the file. Closest places:\n${shown}`;
}
