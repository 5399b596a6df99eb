import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { createInflateRaw } from "node:zlib";
import { upstreamError } from "./errors.mjs";

/**
 * A file inside an archive. Its name is a text to compare, never a path: nothing is unpacked to disk.
 *
 * @typedef {object} ZipEntry
 * @property {string} name
 * @property {number} method 0 stored, 8 deflated
 * @property {number} packed bytes in the archive
 * @property {number} size bytes that it says it has
 * @property {number} offset of its local header
 */

const MOST_DIRECTORY_BYTES = 4 * 1024 * 1024;
const MOST_ENTRY_BYTES = 1024 * 1024 * 1024;
/** Text shrinks to a tenth or so. What shrinks much more, and is large, is made to fill memory or time. */
const MOST_RATIO = 100;
const SMALL_BYTES = 1024 * 1024;
/** End record, and the longest comment behind it. */
const END_BYTES = 22 + 65_535;

const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const LOCAL_SIGNATURE = 0x04034b50;
/** In place of a number that needs the 64-bit form. */
const IN_64_BIT_FORM = 0xffffffff;

/**
 * The files of an archive.
 *
 * @param {string} path
 * @returns {Promise<ZipEntry[]>}
 */
export async function listZip(path) {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const tail = await readAt(file, Math.max(0, size - END_BYTES), Math.min(size, END_BYTES));
    const end = findEnd(tail);
    if (end.offset === IN_64_BIT_FORM || end.bytes > MOST_DIRECTORY_BYTES || end.offset + end.bytes > size)
      throw upstreamError(`${path} is not a zip archive of the expected size`);
    return parseDirectory(await readAt(file, end.offset, end.bytes), path);
  } finally {
    await file.close();
  }
}

/**
 * The bytes of one file, unpacked. It ends with an error as soon as there are more than the archive says.
 *
 * @param {string} path
 * @param {ZipEntry} entry
 * @returns {AsyncGenerator<Buffer>}
 */
export async function* readZipEntry(path, entry) {
  checkSize(entry);
  const start = await findData(path, entry);
  if (entry.packed === 0) return;
  const packed = createReadStream(path, { start, end: start + entry.packed - 1 });
  const unpacked = entry.method === 0 ? packed : packed.pipe(createInflateRaw());
  if (unpacked !== packed) packed.on("error", (error) => unpacked.destroy(error));
  let bytes = 0;
  try {
    for await (const piece of unpacked) {
      bytes += piece.length;
      if (bytes > entry.size) throw upstreamError(`${entry.name} in the archive is larger than the archive says`);
      yield piece;
    }
  } catch (error) {
    if (error instanceof Error && "code" in error && String(error.code).startsWith("Z_"))
      throw upstreamError(`${entry.name} in the archive is damaged: ${error.message}`);
    throw error;
  } finally {
    packed.destroy();
  }
}

/** @param {ZipEntry} entry */
function checkSize({ name, method, packed, size }) {
  if (method !== 0 && method !== 8) throw upstreamError(`${name} in the archive is packed by an unknown method`);
  const isBomb = size > SMALL_BYTES && size > packed * MOST_RATIO;
  if (size > MOST_ENTRY_BYTES || isBomb)
    throw upstreamError(`${name} in the archive would unpack to ${size} bytes from ${packed}; refused`);
}

/**
 * @param {import("node:fs/promises").FileHandle} file
 * @param {number} position
 * @param {number} length
 */
async function readAt(file, position, length) {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  return buffer.subarray(0, bytesRead);
}

/** @param {Buffer} tail */
function findEnd(tail) {
  for (let at = tail.length - 22; at >= 0; at--)
    if (tail.readUInt32LE(at) === END_SIGNATURE)
      return { bytes: tail.readUInt32LE(at + 12), offset: tail.readUInt32LE(at + 16) };
  throw upstreamError("the downloaded file is not a zip archive");
}

/**
 * @param {Buffer} directory
 * @param {string} path
 */
function parseDirectory(directory, path) {
  /** @type {ZipEntry[]} */
  const entries = [];
  let at = 0;
  while (at + 46 <= directory.length) {
    if (directory.readUInt32LE(at) !== ENTRY_SIGNATURE) throw upstreamError(`the directory of ${path} is damaged`);
    const nameBytes = directory.readUInt16LE(at + 28);
    entries.push({
      name: directory.subarray(at + 46, at + 46 + nameBytes).toString("utf8"),
      method: directory.readUInt16LE(at + 10),
      packed: directory.readUInt32LE(at + 20),
      size: directory.readUInt32LE(at + 24),
      offset: directory.readUInt32LE(at + 42),
    });
    at += 46 + nameBytes + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return entries;
}

/**
 * Where the bytes of an entry begin: its local header has a name and extra fields of its own length.
 *
 * @param {string} path
 * @param {ZipEntry} entry
 */
async function findData(path, entry) {
  const file = await open(path, "r");
  try {
    const header = await readAt(file, entry.offset, 30);
    if (header.length < 30 || header.readUInt32LE(0) !== LOCAL_SIGNATURE)
      throw upstreamError(`${entry.name} in the archive has no header`);
    return entry.offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
  } finally {
    await file.close();
  }
}
