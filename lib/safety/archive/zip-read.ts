import { inflateRawSync } from "node:zlib";
import { badArchive, checkName } from "./tar-name.js";

/** How much of an archive is read at most. */
export interface ZipBounds {
  readonly members: number;
  /** Bytes of all members together, unpacked. */
  readonly bytes: number;
}

export interface ZipMember {
  readonly name: string;
  readonly bytes: Buffer;
}

const END_MARK = 0x06054b50;
const ENTRY_MARK = 0x02014b50;
const LOCAL_MARK = 0x04034b50;
const END_BYTES = 22;
const COMMENT_BYTES = 65_535;
/** Types of Unix files in the upper half of the external attributes. */
const TYPE_MASK = 0o170000;
const FILE_TYPE = 0o100000;
const DIRECTORY_TYPE = 0o040000;

/**
 * Read a zip archive of plain files, strictly: links, devices, encrypted members, names that lead outside or come twice, and sizes that differ
 * from what is said refuse the whole.
 *
 * @throws E_INVALID
 */
export function readZip(bytes: Buffer, bounds: ZipBounds): readonly ZipMember[] {
  const end = findEnd(bytes);
  if (end === undefined) throw badArchive("it is not a zip archive, or is cut");
  const count = bytes.readUInt16LE(end + 10);
  if (count === 0xffff) throw badArchive("zip64 is not accepted");
  if (count > bounds.members) throw badArchive(`more than ${bounds.members} members`);
  const members: ZipMember[] = [];
  const seen = new Set<string>();
  let left = bounds.bytes;
  let at = bytes.readUInt32LE(end + 16);
  for (let index = 0; index < count; index++) {
    if (at + 46 > end || bytes.readUInt32LE(at) !== ENTRY_MARK) throw badArchive("its directory is damaged");
    const nameLength = bytes.readUInt16LE(at + 28);
    const name = decode(bytes.subarray(at + 46, at + 46 + nameLength));
    const attributes = bytes.readUInt32LE(at + 38);
    const type = (attributes >>> 16) & TYPE_MASK;
    const isDirectory = name.endsWith("/");
    if (type !== 0 && type !== FILE_TYPE && type !== DIRECTORY_TYPE) throw badArchive("a link or a device", name);
    const clean = checkName(name, isDirectory);
    if ((bytes.readUInt16LE(at + 8) & 1) !== 0) throw badArchive("an encrypted member", name);
    if (!isDirectory) {
      const key = clean.normalize("NFC").toLowerCase();
      if (seen.has(key)) throw badArchive("a name that comes twice", name);
      seen.add(key);
      const content = readMember(bytes, at, left, name);
      left -= content.length;
      members.push({ name: clean, bytes: content });
    }
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return members;
}

function findEnd(bytes: Buffer): number | undefined {
  const first = Math.max(0, bytes.length - END_BYTES - COMMENT_BYTES);
  for (let at = bytes.length - END_BYTES; at >= first; at--) if (bytes.readUInt32LE(at) === END_MARK) return at;
  return undefined;
}

function readMember(bytes: Buffer, entry: number, left: number, name: string): Buffer {
  const method = bytes.readUInt16LE(entry + 10);
  const packedSize = bytes.readUInt32LE(entry + 20);
  const size = bytes.readUInt32LE(entry + 24);
  const offset = bytes.readUInt32LE(entry + 42);
  if (offset + 30 > bytes.length || bytes.readUInt32LE(offset) !== LOCAL_MARK)
    throw badArchive("a damaged member", name);
  const start = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28);
  if (start + packedSize > bytes.length) throw badArchive("it is cut within", name);
  if (size > left) throw badArchive("it unpacks to more than is allowed");
  const packed = bytes.subarray(start, start + packedSize);
  const content = method === 0 ? packed : method === 8 ? inflate(packed, size, name) : undefined;
  if (content === undefined) throw badArchive("a method of compression that is not known", name);
  if (content.length !== size) throw badArchive("a member with another size than it says", name);
  return content;
}

function inflate(packed: Buffer, size: number, name: string): Buffer {
  if (size === 0) return Buffer.alloc(0);
  try {
    return inflateRawSync(packed, { maxOutputLength: size });
  } catch {
    throw badArchive("a damaged member, or one that unpacks to more than it says", name);
  }
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw badArchive("a name that is not UTF-8");
  }
}
