import type { Hints } from "../compile-ahead.js";

const [CUSTOM, IMPORTS, FUNCTIONS, DATA_COUNT, CODE] = [0, 2, 3, 12, 10];
/** A hint is a strategy with the compilers of its first and its last code: the quick one for both. */
const QUICK = (1 << 2) | (1 << 4);
const [AT_FIRST_CALL, AT_ONCE] = [1 | QUICK, 2 | QUICK];

/** The section of hints for a WebAssembly file, of whose functions those in `used` are compiled at once. */
export function hintsFor(bytes: Buffer, used: ReadonlySet<number>): Hints {
  const sections = [...sectionsOf(bytes)];
  const body = (id: number) => sections.find((section) => section.id === id)?.body ?? bytes.length;
  const imported = importedFunctions(bytes, body(IMPORTS));
  const [count] = number(bytes, body(FUNCTIONS));
  const hints = Buffer.from(Array.from({ length: count }, (_, at) => (used.has(at + imported) ? AT_ONCE : AT_FIRST_CALL)));
  const name = Buffer.from("compilationHints");
  const content = Buffer.concat([encoded(name.length), name, encoded(count), hints]);
  const at = sections.find(({ id }) => id === DATA_COUNT || id === CODE)?.from ?? bytes.length;
  return { size: bytes.length, at, section: Buffer.concat([Buffer.from([CUSTOM]), encoded(content.length), content]).toString("base64") };
}

/** Functions that a log of the runtime (`--log-code`) says were compiled. */
export const compiledIn = (log: string): Set<number> => new Set([...log.matchAll(/wasm-function\[(\d+)\]/g)].map(([, at]) => Number(at)));

/** Magic and version come before the first section. */
const FIRST = 8;

function* sectionsOf(bytes: Buffer): Generator<{ readonly id: number; readonly from: number; readonly body: number }> {
  for (let from = FIRST; from < bytes.length; ) {
    const [length, body] = number(bytes, from + 1);
    yield { id: bytes[from] ?? 0, from, body };
    from = body + length;
  }
}

const [TABLE, MEMORY, GLOBAL] = [1, 2, 3];

function importedFunctions(bytes: Buffer, body: number): number {
  let [left, at] = number(bytes, body);
  let functions = 0;
  for (; left > 0; left--) {
    for (const _ of ["module", "name"]) {
      const [length, text] = number(bytes, at);
      at = text + length;
    }
    const kind = bytes[at];
    at += kind === TABLE ? 2 : 1;
    if (kind === GLOBAL) at += 2;
    else if (kind === TABLE || kind === MEMORY) at = limits(bytes, at);
    else {
      functions += kind === 0 ? 1 : 0;
      at = number(bytes, at)[1];
    }
  }
  return functions;
}

function limits(bytes: Buffer, from: number): number {
  const [, at] = number(bytes, from + 1);
  return ((bytes[from] ?? 0) & 1) === 1 ? number(bytes, at)[1] : at;
}

/** An unsigned number of seven bits a byte. @returns it, and where it ends */
function number(bytes: Buffer, from: number): [value: number, end: number] {
  let value = 0;
  for (let at = from, shift = 0; ; at++, shift += 7) {
    const byte = bytes[at] ?? 0;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return [value, at + 1];
  }
}

function encoded(value: number): Buffer {
  const bytes: number[] = [];
  for (let left = value; ; left >>>= 7) {
    bytes.push(left > 0x7f ? (left & 0x7f) | 0x80 : left);
    if (left <= 0x7f) return Buffer.from(bytes);
  }
}
