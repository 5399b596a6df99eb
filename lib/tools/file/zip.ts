import { inflateRawSync } from "node:zlib";

/** Members of an archive that are looked at, and bytes that one of them may have: what is larger was made to be. */
const MEMBERS_AT_MOST = 20_000;
const MEMBER_BYTES = 64 << 20;

const END_MARK = 0x06054b50;
const ENTRY_MARK = 0x02014b50;
const END_BYTES = 22;
const COMMENT_BYTES = 65_535;

/** The files of a zip archive by name; what is damaged or too large is undefined when it is read. */
export interface Archive {
  readonly names: readonly string[];
  read(name: string): Buffer | undefined;
}

interface Entry {
  readonly method: number;
  readonly size: number;
  readonly offset: number;
}

/** Undefined: the bytes are not an archive. */
export function openArchive(bytes: Buffer): Archive | undefined {
  const end = endOf(bytes);
  if (end === undefined) return undefined;
  const entries = new Map<string, Entry>();
  let at = bytes.readUInt32LE(end + 16);
  for (let count = Math.min(bytes.readUInt16LE(end + 10), MEMBERS_AT_MOST); count > 0; count--) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== ENTRY_MARK) return undefined;
    const nameLength = bytes.readUInt16LE(at + 28);
    const name = bytes.toString("utf8", at + 46, at + 46 + nameLength);
    entries.set(name, {
      method: bytes.readUInt16LE(at + 10),
      size: bytes.readUInt32LE(at + 20),
      offset: bytes.readUInt32LE(at + 42),
    });
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return { names: [...entries.keys()], read: (name) => readEntry(bytes, entries.get(name)) };
}

function endOf(bytes: Buffer): number | undefined {
  const first = Math.max(0, bytes.length - END_BYTES - COMMENT_BYTES);
  for (let at = bytes.length - END_BYTES; at >= first; at--) if (bytes.readUInt32LE(at) === END_MARK) return at;
  return undefined;
}

function readEntry(bytes: Buffer, entry: Entry | undefined): Buffer | undefined {
  if (entry === undefined || entry.offset + 30 > bytes.length) return undefined;
  const start = entry.offset + 30 + bytes.readUInt16LE(entry.offset + 26) + bytes.readUInt16LE(entry.offset + 28);
  const packed = bytes.subarray(start, start + entry.size);
  if (entry.method === 0) return packed.length > MEMBER_BYTES ? undefined : packed;
  try {
    return entry.method === 8 ? inflateRawSync(packed, { maxOutputLength: MEMBER_BYTES }) : undefined;
  } catch {
    return undefined; // damaged, or a bomb
  }
}
