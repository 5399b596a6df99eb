import { segmentQuery } from "../../../storage/tables/text/word-segments.js";

/** One word or phrase of a query. */
export interface Term {
  /** As the user meant it, for marks in the found text. */
  readonly text: string;
  readonly prefix: boolean;
  /** The expression of the index that finds it. */
  readonly phrase: string;
  /** Likewise for each single word of it: a phrase stands in at most as many messages as the rarest of its words. */
  readonly words: readonly string[];
}

export interface ParsedQuery {
  /** What the index is asked; undefined when the query holds nothing that it knows. */
  readonly expression: string | undefined;
  readonly terms: readonly Term[];
  /** The query as it was understood, when that is not what was typed. */
  readonly used: string | undefined;
}

type Piece =
  | { readonly kind: "term"; readonly term: Term; readonly shown: string }
  | { readonly kind: "operator"; readonly word: "OR" | "NOT" };

/** Terms of one query; the rest is left out, and said. */
const MAX_TERMS = 32;
/** Words as the index parts them, nearly: marks belong to their letter. */
const WORD = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;
const SEARCHABLE = /[\p{L}\p{N}\p{Co}]/u;

/**
 * Read a search query (core part, 12): words are combined with AND and taken literally, punctuation inside a word makes it a phrase, `"..."` is a
 * phrase, upper-case OR and NOT are operators between two words, a trailing `*` means "begins with". Never fails.
 */
export function parseQuery(query: string): ParsedQuery {
  const pieces = tidy(tokens(query).flatMap(toPiece));
  const terms = pieces.flatMap((piece) => (piece.kind === "term" ? [piece.term] : []));
  if (terms.length === 0) return { expression: undefined, terms: [], used: undefined };
  const shown = pieces.map((piece) => (piece.kind === "term" ? piece.shown : piece.word)).join(" ");
  return { expression: render(pieces), terms, used: shown === query.trim().replace(/\s+/g, " ") ? undefined : shown };
}

/** Words and quoted phrases. A quote that is never closed is an ordinary character. */
function tokens(query: string): string[] {
  return query.match(/"[^"]*"\*?|[^\s"]+|"/g) ?? [];
}

function toPiece(token: string): Piece[] {
  if (token === "OR" || token === "NOT") return [{ kind: "operator", word: token }];
  const prefix = token.endsWith("*") && token.length > 1;
  const bare = prefix ? token.slice(0, -1) : token;
  const text = bare.replaceAll('"', "").trim();
  if (!SEARCHABLE.test(text)) return [];
  const written = segmentQuery(text);
  const end = prefix || written.begins ? "*" : "";
  const phrase = `"${written.text.trim()}"${end}`;
  const parts = written.text.match(WORD) ?? [];
  const words = parts.map((word, at) => `"${word}"${at === parts.length - 1 ? end : ""}`);
  const quoted = bare.startsWith('"') ? `"${text}"` : text;
  return [{ kind: "term", term: { text, prefix, phrase, words }, shown: `${quoted}${prefix ? "*" : ""}` }];
}

/** An operator without a word on both sides is a word itself; so is the second of two. */
function tidy(pieces: readonly Piece[]): Piece[] {
  const kept: Piece[] = [];
  for (const [at, piece] of pieces.slice(0, MAX_TERMS * 2).entries()) {
    const between = kept.at(-1)?.kind === "term" && pieces[at + 1]?.kind === "term";
    kept.push(piece.kind === "operator" && !between ? asWord(piece.word) : piece);
  }
  const last = kept.at(-1);
  return last?.kind === "operator" ? [...kept.slice(0, -1), asWord(last.word)] : kept;
}

const asWord = (word: string): Piece => ({
  kind: "term",
  shown: word,
  term: { text: word, prefix: false, phrase: `"${word}"`, words: [`"${word}"`] },
});

function render(pieces: readonly Piece[]): string {
  return pieces
    .map((piece, at) => {
      if (piece.kind === "operator") return piece.word;
      return at > 0 && pieces[at - 1]?.kind === "term" ? `AND ${piece.term.phrase}` : piece.term.phrase;
    })
    .join(" ");
}
