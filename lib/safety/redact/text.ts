/** Escape sequences of terminals: CSI, OSC, DCS and the like (closed by BEL or ST), and two-character ones. Each alternative is linear. */
const ESCAPES =
  /(?:\u001b\[|\u009b)[0-9:;<=>?]*[ -/]*[@-~]?|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]?/g;
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Text without escape sequences and control characters; tab and newline stay, CRLF becomes a newline. */
export function plainText(text: string): string {
  if (!/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(text)) return text;
  return text.replaceAll("\r\n", "\n").replace(ESCAPES, "").replace(CONTROLS, "");
}

/** What a terminal would show where a program writes over its own line with carriage returns: the last state of each line. */
export function overwriteLines(text: string): string {
  if (!text.includes("\r")) return text;
  return text
    .split("\n")
    .map((line) => (line.includes("\r") ? overwrite(line) : line))
    .join("\n");
}

function overwrite(line: string): string {
  const parts = line.split("\r").filter((part) => part !== "");
  let shown = "";
  for (const part of parts)
    shown = part.length >= shown.length || /^\u001b\[[02]?K/.test(part) ? part : part + shown.slice(part.length);
  return shown;
}

/** Where a cut at `index` may be made without splitting a surrogate pair: `index` or one less. */
function cutIndex(text: string, index: number): number {
  if (index <= 0) return 0;
  if (index >= text.length) return text.length;
  const code = text.charCodeAt(index - 1);
  return code >= 0xd800 && code <= 0xdbff ? index - 1 : index;
}

/** The first `max` characters (UTF-16 units), one less where that would split a code point. */
export function headText(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, cutIndex(text, max));
}

/** The last `max` characters, one less where that would split a code point. */
export function tailText(text: string, max: number): string {
  if (text.length <= max) return text;
  const code = text.charCodeAt(text.length - max);
  return text.slice(text.length - max + (code >= 0xdc00 && code <= 0xdfff ? 1 : 0));
}

/** At most `max` characters; a cut is shown by `...`, which counts. */
function shorten(text: string, max: number): string {
  return text.length <= max ? text : `${headText(text, Math.max(0, max - 3))}...`;
}

/** A fence of backticks that nothing in the text closes. */
export const fenceFor = (text: string): string =>
  "`".repeat(Math.max(3, 1 + (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0)));

/** One line for a screen: control characters gone, white space folded, at most `max` characters. */
export function toScreenLine(text: string, max: number): string {
  return shorten(
    plainText(headText(text, max * 8))
      .replace(/\s+/g, " ")
      .trim(),
    max,
  );
}

/** Characters of a text as people count them: code points. */
export function charCount(text: string): number {
  let pairs = 0;
  for (const _ of text.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g)) pairs += 1;
  return text.length - pairs;
}

/** More than `max` code points. Looks at them only when the length leaves it open. */
export const longerThan = (text: string, max: number): boolean =>
  text.length > max && (text.length > max * 2 || charCount(text) > max);

/** The first `max` code points. */
function headChars(text: string, max: number): string {
  let end = 0;
  for (let count = 0; count < max && end < text.length; count++) end += isPair(text, end) ? 2 : 1;
  return text.slice(0, end);
}

/** The last `max` code points. */
function tailChars(text: string, max: number): string {
  let from = text.length;
  for (let count = 0; count < max && from > 0; count++) from -= isPair(text, from - 2) ? 2 : 1;
  return text.slice(from);
}

function isPair(text: string, at: number): boolean {
  if (at < 0) return false;
  const high = text.charCodeAt(at);
  const low = text.charCodeAt(at + 1);
  return high >= 0xd800 && high <= 0xdbff && low >= 0xdc00 && low <= 0xdfff;
}

/** Keep 40 % head and 60 % tail of a long output around a mark that counts what is gone (core part, 23). Counted in code points. */
export function cutMiddle(text: string, max: number): string {
  if (!longerThan(text, max)) return text;
  const head = headChars(text, Math.floor(max * 0.4));
  const tail = tailChars(text, max - Math.floor(max * 0.4));
  const total = charCount(text);
  return `${head}\n... [OUTPUT TRUNCATED - ${total - max} chars omitted out of ${total} total] ...\n${tail}`;
}

/** The same over the bytes of its UTF-8 form; no character is cut in two. */
export function cutMiddleBytes(text: string, max: number): string {
  if (text.length * 3 <= max || Buffer.byteLength(text) <= max) return text;
  const bytes = Buffer.from(text);
  const cut = Math.floor(max * 0.4);
  const from = boundary(bytes, cut, -1);
  const to = boundary(bytes, bytes.length - (max - cut), 1);
  const mark = `... [OUTPUT TRUNCATED - ${to - from} bytes omitted out of ${bytes.length} total] ...`;
  return `${bytes.subarray(0, from).toString()}\n${mark}\n${bytes.subarray(to).toString()}`;
}

/** The nearest index from `at` on, in steps of `step`, at which a character begins. */
function boundary(bytes: Buffer, at: number, step: 1 | -1): number {
  let index = at;
  while (index > 0 && index < bytes.length && ((bytes[index] ?? 0) & 0xc0) === 0x80) index += step;
  return index;
}

/** The beginning of a text, at most `max` code points, cut at a line end where there is one. */
export function headLines(text: string, max: number): string {
  if (!longerThan(text, max)) return text;
  const head = headChars(text, max);
  const end = head.lastIndexOf("\n");
  return end > 0 ? head.slice(0, end) : head;
}

/**
 * A JSON value as text of at most `max` characters: its longest string leaves are cut until it fits, so the result stays valid JSON.
 * `undefined` when cutting texts alone cannot make it fit.
 */
export function fitJson(value: unknown, max: number): string | undefined {
  let text = JSON.stringify(value);
  if (text.length <= max) return text;
  const copy: unknown = JSON.parse(text);
  for (let round = 0; round < 64 && text.length > max; round++) {
    const leaf = longestLeaf({ root: copy });
    if (leaf === undefined || leaf.text.length < 64) return undefined;
    const over = text.length - max;
    const kept = Math.max(
      32,
      Math.min(
        leaf.text.length - Math.ceil(over / 2) - 32,
        leaf.text.length >> 1 > over ? leaf.text.length - over - 32 : leaf.text.length >> 1,
      ),
    );
    leaf.holder[leaf.key] = `${headText(leaf.text, kept)}... [truncated]`;
    text = JSON.stringify(copy);
  }
  return text.length <= max ? text : undefined;
}

interface Leaf {
  readonly holder: Record<string, unknown>;
  readonly key: string;
  readonly text: string;
}

function longestLeaf(root: Record<string, unknown>): Leaf | undefined {
  let longest: Leaf | undefined;
  const open: Record<string, unknown>[] = [root];
  for (let holder = open.pop(); holder !== undefined; holder = open.pop()) {
    for (const [key, value] of Object.entries(holder)) {
      if (typeof value === "string" && value.length > (longest?.text.length ?? 0))
        longest = { holder, key, text: value };
      if (typeof value === "object" && value !== null) open.push(value as Record<string, unknown>); // arrays are records of their indexes here
    }
  }
  return longest;
}
