import { badArchive, checkName } from "./tar-name.js";

/** How much of an archive is read at most. */
export interface TarBounds {
  readonly members: number;
  /** Bytes after unpacking, headers included: a small file may unpack to anything. */
  readonly bytes: number;
}

/** Where the bytes of one member go. */
export interface TarSink {
  write(bytes: Buffer): Promise<void> | void;
  end(): Promise<void> | void;
}

const BLOCK = 512;
/** Longest record with a name that the classic header cannot hold. */
const NAME_RECORD = 8 << 10;

/**
 * Read a tar archive of plain files, strictly: a member that is neither a file nor a directory, a name that leads outside, a name that comes
 * twice, a broken header, a missing end and anything behind the end refuse the whole.
 *
 * @param take Called for each file in order, before its bytes; it refuses by throwing.
 * @throws E_INVALID
 */
export async function readTar(
  source: AsyncIterable<Uint8Array>,
  bounds: TarBounds,
  take: (name: string, size: number) => Promise<TarSink> | TarSink,
): Promise<void> {
  const input = new Blocks(source, bounds.bytes);
  const seen = new Set<string>();
  let longName: string | undefined;
  for (;;) {
    const header = parseHeader(await input.block("its end is missing"));
    if (header === undefined) break;
    if (header.kind === "name") {
      longName = nameRecord(header.type, await input.record(header.size));
      continue;
    }
    const name = checkName(longName ?? header.name, header.kind === "directory");
    longName = undefined;
    const key = name.normalize("NFC").toLowerCase();
    if (header.kind === "directory") continue;
    if (seen.has(key)) throw badArchive("a name that comes twice", name);
    seen.add(key);
    if (seen.size > bounds.members) throw badArchive(`more than ${bounds.members} members`);
    await input.copy(header.size, await take(name, header.size), name);
  }
  await input.onlyZeros();
}

/** Blocks of a stream of pieces. */
class Blocks {
  readonly #source: AsyncIterator<Uint8Array>;
  #piece: Buffer = Buffer.alloc(0);
  #left: number;

  constructor(source: AsyncIterable<Uint8Array>, maxBytes: number) {
    this.#source = source[Symbol.asyncIterator]();
    this.#left = maxBytes;
  }

  /** At least one byte and at most `max`, or undefined at the end. */
  async #some(max: number): Promise<Buffer | undefined> {
    while (this.#piece.length === 0) {
      const { value, done } = await this.#source.next();
      if (done === true) return undefined;
      this.#piece = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
      this.#left -= this.#piece.length;
      if (this.#left < 0) throw badArchive("it unpacks to more than is allowed");
    }
    const part = this.#piece.subarray(0, max);
    this.#piece = this.#piece.subarray(part.length);
    return part;
  }

  async #exactly(length: number, missing: string): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let need = length; need > 0; ) {
      const part = await this.#some(need);
      if (part === undefined) throw badArchive(missing);
      parts.push(part);
      need -= part.length;
    }
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
  }

  block(missing: string): Promise<Buffer> {
    return this.#exactly(BLOCK, missing);
  }

  async record(size: number): Promise<Buffer> {
    if (size === 0 || size > NAME_RECORD) throw badArchive("a name that is too long");
    const bytes = await this.#exactly(Math.ceil(size / BLOCK) * BLOCK, "it is cut");
    return bytes.subarray(0, size);
  }

  async copy(size: number, sink: TarSink, name: string): Promise<void> {
    for (let need = size; need > 0; ) {
      const part = await this.#some(need);
      if (part === undefined) throw badArchive("it is cut within", name);
      await sink.write(part);
      need -= part.length;
    }
    await sink.end();
    const padding = (BLOCK - (size % BLOCK)) % BLOCK;
    if (padding > 0) await this.#exactly(padding, "it is cut");
  }

  /** The second block of the end, and whatever fills the last record. */
  async onlyZeros(): Promise<void> {
    const second = await this.block("its end is missing");
    if (second.some((byte) => byte !== 0)) throw badArchive("something stands behind its end");
    for (let part = await this.#some(1 << 20); part !== undefined; part = await this.#some(1 << 20))
      if (part.some((byte) => byte !== 0)) throw badArchive("something stands behind its end");
  }
}

type Header =
  | { readonly kind: "file" | "directory"; readonly name: string; readonly size: number }
  | { readonly kind: "name"; readonly type: "x" | "L"; readonly size: number };

const NAMED: Readonly<Record<string, string>> = {
  "1": "a hard link",
  "2": "a symbolic link",
  "3": "a device",
  "4": "a device",
  "6": "a pipe",
};

/** One header; undefined for the first block of the end. */
function parseHeader(block: Buffer): Header | undefined {
  if (block.every((byte) => byte === 0)) return undefined;
  if (octal(block.subarray(148, 156), "checksum") !== checksum(block)) throw badArchive("a header is damaged");
  const magic = block.subarray(257, 263).toString("latin1");
  if (magic !== "ustar\0" && magic !== "ustar ") throw badArchive("a header of a format that is not known");
  const type = String.fromCharCode(block[156] ?? 0);
  const size = octal(block.subarray(124, 136), "size");
  const name = text(block.subarray(0, 100));
  const prefix = magic === "ustar\0" ? text(block.subarray(345, 500)) : "";
  const whole = prefix === "" ? name : `${prefix}/${name}`;
  if (type === "x" || type === "L") return { kind: "name", type, size };
  if (type === "0" || type === "\0") return { kind: "file", name: whole, size };
  if (type !== "5") throw badArchive(NAMED[type] ?? `a member of type ${JSON.stringify(type)}`, whole);
  if (size !== 0) throw badArchive("a directory with content", whole);
  return { kind: "directory", name: whole, size };
}

/** Sum of all bytes, with blanks in place of the sum itself. */
export function checksum(block: Buffer): number {
  let sum = 8 * 32;
  for (const [at, byte] of block.entries()) if (at < 148 || at >= 156) sum += byte;
  return sum;
}

function octal(field: Buffer, what: string): number {
  const [, digits] = /^ *([0-7]{1,11})[ \0]*$/.exec(field.toString("latin1")) ?? [];
  if (digits === undefined) throw badArchive(`a header whose ${what} is not a number`);
  return Number.parseInt(digits, 8);
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function text(field: Buffer): string {
  const end = field.indexOf(0);
  return decoded(end === -1 ? field : field.subarray(0, end));
}

function decoded(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) throw badArchive("a name that is not UTF-8");
    throw error;
  }
}

/** The name in a record that stands before its member: `path=` of a pax record, or the text of a long name. */
function nameRecord(type: "x" | "L", bytes: Buffer): string | undefined {
  if (type === "L") return text(bytes);
  let path: string | undefined;
  for (let at = 0; at < bytes.length; ) {
    const blank = bytes.indexOf(0x20, at);
    const length = /^[1-9]\d{0,5}$/.test(bytes.subarray(at, Math.max(at, blank)).toString("latin1"))
      ? Number(bytes.subarray(at, blank))
      : 0;
    const record = bytes.subarray(blank + 1, at + length);
    if (blank < 0 || length <= blank - at + 1 || at + length > bytes.length || record.at(-1) !== 0x0a)
      throw badArchive("a damaged record");
    const [key, value] = split(decoded(record.subarray(0, -1)));
    if (key === "path") path = value;
    else if (!["mtime", "atime", "ctime", "uid", "gid", "uname", "gname", "comment"].includes(key))
      throw badArchive("a record that is not known", key);
    at += length;
  }
  return path;
}

function split(record: string): [string, string] {
  const at = record.indexOf("=");
  return at === -1 ? [record, ""] : [record.slice(0, at), record.slice(at + 1)];
}
