import type { MessageRecord } from "../../contracts/chat/chat.js";
import type { Term } from "./sessions-query.js";

/** Words of the found text that are shown. */
const WORDS = 40;
/** How far into a text matches are looked for; a snippet of a longer one is its beginning. */
const LOOK_CHARS = 200_000;
const MOST_CHARS = 600;

interface Span {
  readonly from: number;
  readonly to: number;
}

/** About 40 words around the first match, with `>>>` and `<<<` around every match; on one line. */
export function snippetOf(message: MessageRecord, terms: readonly Term[]): string {
  const calls = (message.toolCalls ?? []).map((call) => `${call.name} ${call.arguments}`);
  const text = [message.content, message.toolName ?? "", ...calls]
    .filter((part) => part !== "")
    .join("\n")
    .slice(0, LOOK_CHARS);
  const spans = matches(text, terms);
  const window = around(text, spans[0] ?? { from: 0, to: 0 });
  return oneLine(mark(text, window, spans));
}

/** Upper case and accents do not count. One entry of `origin` per character of `folded`. */
function fold(text: string): { folded: string; origin: number[] } {
  let folded = "";
  const origin: number[] = [];
  let at = 0;
  for (const char of text) {
    const plain = char.codePointAt(0) ?? 0;
    const bare = plain < 128 ? char.toLowerCase() : char.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
    folded += bare;
    for (let n = 0; n < bare.length; n++) origin.push(at);
    at += char.length;
  }
  return { folded, origin: [...origin, at] };
}

function matches(text: string, terms: readonly Term[]): Span[] {
  const { folded, origin } = fold(text);
  const spans: Span[] = [];
  for (const term of terms) {
    const wanted = fold(term.text).folded;
    for (
      let at = folded.indexOf(wanted);
      at >= 0 && spans.length < 200;
      at = folded.indexOf(wanted, at + wanted.length)
    ) {
      if (!wholeWord(folded, at, at + wanted.length, term.prefix)) continue;
      spans.push({ from: origin[at] ?? 0, to: origin[at + wanted.length] ?? text.length });
    }
  }
  return merged(spans.sort((a, b) => a.from - b.from));
}

const LATIN_WORD = /[\p{L}\p{N}]/u;
const SPACELESS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** The index finds whole words, except in scripts without spaces. */
function wholeWord(text: string, from: number, to: number, prefix: boolean): boolean {
  const inside = (char: string) => LATIN_WORD.test(char) && !SPACELESS.test(char);
  const startsInside = inside(text.charAt(from - 1)) && inside(text.charAt(from));
  const endsInside = !prefix && inside(text.charAt(to)) && inside(text.charAt(to - 1));
  return !startsInside && !endsInside;
}

function merged(spans: readonly Span[]): Span[] {
  const apart: Span[] = [];
  for (const span of spans) {
    const last = apart.at(-1);
    if (last && span.from <= last.to) apart[apart.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
    else apart.push(span);
  }
  return apart;
}

function around(text: string, match: Span): Span {
  const before = text.slice(Math.max(0, match.from - MOST_CHARS / 2), match.from);
  const after = text.slice(match.to, match.to + MOST_CHARS / 2);
  const head = /(?:\S+\s+){0,19}\S*$/.exec(before)?.[0] ?? before;
  const tail = new RegExp(`^\\S*(?:\\s+\\S+){0,${WORDS - 20}}`).exec(after)?.[0] ?? after;
  return { from: whole(text, match.from - head.length), to: whole(text, match.to + tail.length) };
}

/** Not between the two halves of one character. */
const whole = (text: string, at: number): number => (/[\udc00-\udfff]/.test(text.charAt(at)) ? at + 1 : at);

function mark(text: string, window: Span, spans: readonly Span[]): string {
  let shown = window.from > 0 ? "…" : "";
  let at = window.from;
  for (const span of spans.filter(({ from, to }) => from >= window.from && to <= window.to)) {
    shown += `${text.slice(at, span.from)}>>>${text.slice(span.from, span.to)}<<<`;
    at = span.to;
  }
  return `${shown}${text.slice(at, window.to)}${window.to < text.length ? "…" : ""}`;
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
