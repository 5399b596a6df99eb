import { openToRead, readHead } from "../../../lib/base/fs/files.js";

const HEAD = 1 << 20;

/** Length of a sound in milliseconds, as the platform wants it; undefined: it cannot be read from this file. */
export async function soundLength(path: string, size: number): Promise<number | undefined> {
  const file = await openToRead(path);
  try {
    const head = await readHead(file, Math.min(HEAD, size));
    return wav(head) ?? mp4(head) ?? (await mp4AtEnd(file, size)) ?? mp3(head, size);
  } finally {
    await file.close();
  }
}

function wav(head: Buffer): number | undefined {
  if (head.toString("latin1", 0, 4) !== "RIFF" || head.length < 44) return undefined;
  const rate = head.readUInt32LE(28);
  const at = head.indexOf("data", 36, "latin1");
  return rate === 0 || at < 0 || at + 8 > head.length
    ? undefined
    : Math.round((head.readUInt32LE(at + 4) / rate) * 1000);
}

function mp4(part: Buffer): number | undefined {
  const at = part.indexOf("mvhd", 0, "latin1");
  if (at < 0 || at + 36 > part.length) return undefined;
  const long = part[at + 4] === 1;
  const scale = part.readUInt32BE(at + (long ? 24 : 16));
  const length = long ? Number(part.readBigUInt64BE(at + 28)) : part.readUInt32BE(at + 20);
  return scale === 0 ? undefined : Math.round((length / scale) * 1000);
}

/** Recorders write what describes the file at its end. */
async function mp4AtEnd(file: Awaited<ReturnType<typeof openToRead>>, size: number): Promise<number | undefined> {
  if (size <= HEAD) return undefined;
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD), 0, HEAD, size - HEAD);
  return mp4(buffer.subarray(0, bytesRead));
}

const RATES = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const RATES_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];

/** By the rate of the first frame, or by the count of frames where a file with changing rates says it. */
function mp3(head: Buffer, size: number): number | undefined {
  const tag = head.toString("latin1", 0, 3) === "ID3" && head.length > 10 ? 10 + id3Size(head) : 0;
  for (let at = tag; at + 4 < head.length && at < tag + 4096; at++) {
    if (head[at] !== 0xff || ((head[at + 1] ?? 0) & 0xe6) !== 0xe2) continue;
    const first = ((head[at + 1] ?? 0) & 0x18) === 0x18;
    const index = (head[at + 2] ?? 0) >> 4;
    const rate = (first ? RATES : RATES_2)[index] ?? 0;
    const hertz = ([44_100, 48_000, 32_000][((head[at + 2] ?? 0) >> 2) & 3] ?? 0) / (first ? 1 : 2);
    if (rate === 0 || hertz === 0) continue;
    const counted = head.indexOf("Xing", at, "latin1");
    if (counted > 0 && counted < at + 64 && counted + 12 <= head.length) {
      return Math.round(((head.readUInt32BE(counted + 8) * (first ? 1152 : 576)) / hertz) * 1000);
    }
    return Math.round(((size - at) * 8) / rate);
  }
  return undefined;
}

const id3Size = (head: Buffer): number => [6, 7, 8, 9].reduce((all, at) => (all << 7) | ((head[at] ?? 0) & 0x7f), 0);
