import { closeSync, openSync, readSync, renameSync, writeFileSync } from "node:fs";
import { RUNTIME } from "../runtime.js";

/** What the engine remembered of a chunk, and the chunk's text within the function that it is run as. */
export interface Kept {
  /** Good until the next chunk is read: all are read into one place, since new memory costs more than the reading. */
  readonly code: Buffer;
  readonly text: string;
}

/** Chunks by name, read from the file one by one: a process that stays does not keep what was needed at its start. */
export interface CodeFile {
  readonly names: readonly string[];
  read(name: string): Kept | undefined;
}

interface Place {
  readonly name: string;
  readonly from: number;
  /** Of the code, which the text follows. */
  readonly code: number;
  readonly text: number;
  /** The text has more than ASCII; without that a byte is a character, which is faster. */
  readonly wide?: true;
}

/** The first line of a file. */
interface Head {
  /** Which one remembered this: for no other. */
  readonly runtime: string;
  readonly places: readonly Place[];
}

/** The line of places has to end within so many bytes. A place takes some 70, and the screen, which needs most, has a few hundred. */
const HEAD_BYTES = 64 * 1024;
/** Most chunks with their code have less. */
const SHARED_BYTES = 256 * 1024;
const EMPTY = Buffer.alloc(0);
const NO_FILE: CodeFile = { names: [], read: () => undefined };

/** One line of places, then the data of all of them: one file, so that the two never come from different writers. */
export function openCode(file: string): CodeFile {
  const descriptor = opened(file);
  if (descriptor === undefined) return NO_FILE;
  const head = headOf(descriptor);
  if (head === undefined) {
    closeSync(descriptor);
    return NO_FILE;
  }
  const { places, end } = head;
  let shared = EMPTY;
  return {
    names: [...places.keys()],
    read: (name) => {
      const place = places.get(name);
      if (place === undefined) return undefined;
      const length = Math.max(place.code, place.text);
      if (shared.length < length) shared = Buffer.allocUnsafeSlow(Math.max(length, SHARED_BYTES));
      if (readSync(descriptor, shared, 0, place.text, end + place.from + place.code) < place.text) return undefined;
      const text = shared.toString(place.wide ? "utf8" : "latin1", 0, place.text);
      if (readSync(descriptor, shared, 0, place.code, end + place.from) < place.code) return undefined;
      return { code: shared.subarray(0, place.code), text };
    },
  };
}

/** The places, and where their data begins. */
function headOf(descriptor: number): { readonly places: ReadonlyMap<string, Place>; readonly end: number } | undefined {
  const all = Buffer.allocUnsafeSlow(HEAD_BYTES);
  const head = all.subarray(0, readSync(descriptor, all, 0, HEAD_BYTES, 0));
  const end = head.indexOf("\n") + 1;
  try {
    const { runtime, places: listed }: Head = JSON.parse(head.toString("utf8", 0, end));
    if (runtime !== RUNTIME) return undefined;
    return { places: new Map(listed.map((place) => [place.name, place])), end };
  } catch {
    return undefined; /* ok to lose: it is not whole, and everything is compiled again */
  }
}

function opened(file: string): number | undefined {
  try {
    return openSync(file, "r");
  } catch {
    return undefined; /* ok to lose: it was not made, and everything is compiled again */
  }
}

/** Replace the file whole. */
export function writeCode(file: string, chunks: ReadonlyMap<string, Kept>, runtime: string = RUNTIME): void {
  let from = 0;
  const data: Buffer[] = [];
  const places = [...chunks].map(([name, { code, text }]): Place => {
    const bytes = Buffer.from(text);
    data.push(code, bytes);
    const place = { name, from, code: code.length, text: bytes.length };
    from += code.length + bytes.length;
    return bytes.length === text.length ? place : { ...place, wide: true };
  });
  const head: Head = { runtime, places };
  const temporary = `${file}.new`;
  writeFileSync(temporary, Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), ...data]));
  renameSync(temporary, file);
}
