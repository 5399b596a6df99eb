import { type Lineage, placeholders } from "./lineage.js";
import { findShapes, openTail, type SecretType, type Span } from "./shapes.js";

export {
  createLineage,
  type Lineage,
  placeholders,
  type ResolvedText,
  type StoredSecret,
  type StoredSecrets,
} from "./lineage.js";
export { SECRET_TYPES, type SecretType } from "./shapes.js";

export interface RedactorOptions {
  /** Values that the product itself holds. Asked on every call, so that new ones count at once; the same array means the same values. */
  readonly known: () => readonly string[];
  /** `security.redact_secrets`, read once at start. Without it texts pass unchanged. */
  readonly enabled: boolean;
  /** Given: placeholders of this lineage, for conversations. Absent: `[secret:<type>]`, for logs and everything outside conversations. */
  readonly lineage?: Lineage;
}

/** Removes secrets from text. Linear in the length of the text. */
export interface Redactor {
  /** `code`: the text is a source file, in which `NAME=value` and fields say little (core part, 22.2). */
  text(text: string, options?: { readonly code?: boolean }): string;
  /** For text that comes in pieces: a secret is found wherever the pieces are cut. */
  stream(): RedactStream;
}

export interface RedactStream {
  /** What may be shown now. */
  push(chunk: string): string;
  /** Nothing came for 250 ms: what ends on a word border may be shown. */
  pause(): string;
  /** The rest. */
  end(): string;
}

/** Most characters that are held back, except of a private key. */
const HELD_AT_MOST = 4_096;
const KEY_AT_MOST = 65_536;
/** Shorter values would take ordinary words out of every text. */
const KNOWN_AT_LEAST = 6;

export function createRedactor(options: RedactorOptions): Redactor {
  if (!options.enabled) {
    const same = { push: (chunk: string) => chunk, pause: () => "", end: () => "" };
    return { text: (text) => text, stream: () => same };
  }
  const forms = knownForms(options.known);
  const text = (given: string, how: { readonly code?: boolean } = {}) =>
    redact(given, forms(), options.lineage, how.code === true);
  return { text, stream: () => createStream(text, forms) };
}

/** Finds one of these values in a text, in any of the spellings that are taken out of texts. */
export function createSecretFinder(known: RedactorOptions["known"]): (text: string) => string | undefined {
  const forms = knownForms(known);
  return (text) => forms().find(({ shown }) => text.includes(shown))?.value;
}

interface Form {
  readonly shown: string;
  readonly value: string;
}

/** Every spelling of the known values; made again only when the values changed. */
function knownForms(known: () => readonly string[]): () => readonly Form[] {
  let given: readonly string[] = [];
  let last = "";
  let forms: readonly Form[] = [];
  return () => {
    const all = known();
    if (all === given) return forms;
    given = all;
    const values = all.filter((value) => value.length >= KNOWN_AT_LEAST);
    const stamp = values.join("\0");
    if (stamp !== last) {
      last = stamp;
      forms = values.flatMap(spellings).sort((a, b) => b.shown.length - a.shown.length);
    }
    return forms;
  };
}

function spellings(value: string): readonly Form[] {
  const bytes = Buffer.from(value);
  const texts = [
    value,
    encodeURIComponent(value),
    JSON.stringify(value).slice(1, -1),
    bytes.toString("base64"),
    bytes.toString("base64url"),
    bytes.toString("base64").replace(/=+$/, ""),
  ];
  // Base64 of a longer text holds the value at one of three offsets; the characters at its borders depend on what is beside it.
  for (const offset of [1, 2]) {
    const inner = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString("base64")
      .replace(/=+$/, "")
      .slice(offset + 1, -1);
    if (inner.length >= 12) texts.push(inner);
  }
  return [...new Set(texts)].map((shown) => ({ shown, value }));
}

function redact(text: string, forms: readonly Form[], lineage: Lineage | undefined, code: boolean): string {
  if (text.length < KNOWN_AT_LEAST) return text;
  const marks = placeholders(text);
  const spans = merge([...findKnown(text, forms), ...findShapes(text, code)], text.length);
  const free = spans.filter((span) => !marks.some((mark) => mark.from < span.to && span.from < mark.to));
  const forged =
    lineage === undefined
      ? []
      : marks.filter((mark) => !lineage.issued(mark.text)).map((mark) => ({ ...mark, type: "literal" as const }));
  const all = [...free, ...forged].sort((a, b) => a.from - b.from);
  const parts: string[] = [];
  let at = 0;
  for (const span of all) {
    parts.push(text.slice(at, span.from), markFor(text.slice(span.from, span.to), span, forms, lineage));
    at = span.to;
  }
  const redacted = parts.join("") + text.slice(at);
  return lineage === undefined ? withoutPhones(redacted) : redacted;
}

function markFor(shown: string, span: Span, forms: readonly Form[], lineage: Lineage | undefined): string {
  if (lineage === undefined) return `[secret:${span.type}]`;
  // The encoded form of a known value keeps a placeholder of its own: putting the plain value in its place would change the bytes.
  const known = forms.find((form) => form.shown === shown);
  return lineage.placeholder(shown, known !== undefined && known.shown !== known.value ? "literal" : span.type);
}

function findKnown(text: string, forms: readonly Form[]): readonly Span[] {
  const spans: Span[] = [];
  for (const { shown } of forms) {
    for (let at = text.indexOf(shown); at !== -1; at = text.indexOf(shown, at + shown.length)) {
      spans.push({ from: at, to: at + shown.length, type: typeOfKnown(shown) });
    }
  }
  return spans;
}

function typeOfKnown(value: string): SecretType {
  return findShapes(value, true).find((span) => span.from === 0 && span.to === value.length)?.type ?? "api_key";
}

/** Spans without overlap: of two, the one that begins first wins and takes the longer end. */
function merge(spans: readonly Span[], length: number): readonly Span[] {
  const sorted = spans.toSorted((a, b) => a.from - b.from || b.to - a.to);
  const merged: Span[] = [];
  for (const span of sorted) {
    const last = merged.at(-1);
    if (last === undefined || span.from >= last.to) merged.push({ ...span, to: Math.min(span.to, length) });
    else if (span.to > last.to) merged[merged.length - 1] = { ...last, to: span.to };
  }
  return merged;
}

/** Phone numbers in logs keep their first and last four digits. */
function withoutPhones(text: string): string {
  return text.replace(/(?<![\w+])\+(\d{4})\d{1,7}(\d{4})(?!\d)/g, "+$1***$2");
}

function createStream(text: (given: string) => string, forms: () => readonly Form[]): RedactStream {
  let pending = "";
  const take = (cut: number) => {
    const ready = pending.slice(0, cut);
    pending = pending.slice(cut);
    return ready === "" ? "" : text(ready);
  };
  return {
    push: (chunk) => {
      pending += chunk;
      return take(safeCut(pending, forms()));
    },
    pause: () => take(safeCut(pending, forms())),
    end: () => take(pending.length),
  };
}

/** How much of a text can be judged now: up to the last word border behind which no secret can have begun. */
function safeCut(pending: string, forms: readonly Form[]): number {
  let cut = borderBefore(pending, pending.length);
  const blanks = forms.filter((form) => /\s/.test(form.shown));
  if (blanks.length > 0)
    cut = borderBefore(pending, Math.max(0, pending.length - Math.max(...blanks.map((form) => form.shown.length))));
  const open = openTail(pending.slice(0, cut));
  const held =
    open !== -1 ? Math.min(cut, open) : forms.some((form) => WIDE.test(form.shown)) ? cut : behindWide(pending, cut);
  const isKey = pending.startsWith("-----", held);
  if (pending.length - held <= (isKey ? KEY_AT_MOST : HELD_AT_MOST)) return held;
  return isKey ? pending.length : pending.length - HELD_AT_MOST;
}

/** Chinese, Japanese and Korean text, full-width marks and pictures: no shape of a secret holds any of them. */
const WIDE = /[\u2e80-\uffff]/;

/** Index behind the text without blanks that begins at `from`, so that it is shown as it comes. */
function behindWide(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) >= 0x2e80) at += 1;
  return at;
}

/** Index behind the last blank before `end`; 0 without one. */
function borderBefore(text: string, end: number): number {
  for (let at = end - 1; at >= 0; at--) {
    const char = text.charCodeAt(at);
    if (char === 32 || (char >= 9 && char <= 13)) return at + 1;
  }
  return 0;
}
