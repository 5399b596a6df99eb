import { openSync, readSync, renameSync, writeFileSync } from "node:fs";

/** What the engine remembered of a chunk, and the chunk's text within the function that it is run as. */
export interface Kept {
  readonly code: Buffer;
  readonly text: Buffer;
}

/** Chunks by name, read from the file one by one: whoever stays does not keep what was needed at its start. */
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
}

/** The line of places has to end within so many bytes: there are some thousand of them at most. */
const HEAD_BYTES = 64 * 1024;
const NO_FILE: CodeFile = { names: [], read: () => undefined };

/** One line of places, then the data of all of them: one file, so that the two never come from different writers. */
export function openCode(file: string): CodeFile {
  const descriptor = opened(file);
  if (descriptor === undefined) return NO_FILE;
  const head = bytesAt(descriptor, 0, HEAD_BYTES);
  const end = head.indexOf("\n") + 1;
  if (end === 0) return NO_FILE;
  const listed: readonly Place[] = JSON.parse(head.toString("utf8", 0, end));
  const places = new Map(listed.map((place) => [place.name, place]));
  return {
    names: [...places.keys()],
    read: (name) => {
      const place = places.get(name);
      if (place === undefined) return undefined;
      const both = bytesAt(descriptor, end + place.from, place.code + place.text);
      return both.length < place.code + place.text ? undefined : { code: both.subarray(0, place.code), text: both.subarray(place.code) };
    },
  };
}

function opened(file: string): number | undefined {
  try {
    return openSync(file, "r");
  } catch {
    return undefined; /* ok to lose: it was not made, and everything is compiled anew */
  }
}

function bytesAt(descriptor: number, from: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(length);
  return bytes.subarray(0, readSync(descriptor, bytes, 0, length, from));
}

/** Replace the file whole. */
export function writeCode(file: string, chunks: ReadonlyMap<string, Kept>): void {
  let from = 0;
  const places = [...chunks].map(([name, { code, text }]): Place => {
    const place = { name, from, code: code.length, text: text.length };
    from += code.length + text.length;
    return place;
  });
  const temporary = `${file}.new`;
  const data = [...chunks.values()].flatMap(({ code, text }) => [code, text]);
  writeFileSync(temporary, Buffer.concat([Buffer.from(`${JSON.stringify(places)}\n`), ...data]));
  renameSync(temporary, file);
}
