/** Core part, 19.1. */
export const HEADER_BYTES = 8_192;
/** No honest message is so large: the diagnostics of one file have a few kB. */
export const BODY_BYTES = 32 << 20;

/** What a server sent is not a message of the protocol; nothing behind it can be read. */
export class FrameError extends Error {
  override readonly name = "FrameError";
}

/** One message with its header. */
export function encodeFrame(message: Readonly<Record<string, unknown>>): Buffer {
  const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`, "ascii"), body]);
}

const END = Buffer.from("\r\n\r\n");

/** Cuts a stream of bytes into messages, wherever the bytes are cut. */
export interface FrameReader {
  /** @throws FrameError when the bytes follow no protocol; the reader must not be used again */
  read(chunk: Buffer): readonly unknown[];
}

export function createFrameReader(): FrameReader {
  let head: Buffer = Buffer.alloc(0);
  let parts: Buffer[] = [];
  let have = 0;
  let wanted: number | undefined;

  const readHeader = (bytes: Buffer): Buffer | undefined => {
    head = head.length === 0 ? bytes : Buffer.concat([head, bytes]);
    const end = head.indexOf(END);
    if (end > HEADER_BYTES || (end === -1 && head.length > HEADER_BYTES))
      throw new FrameError(`a header of more than ${HEADER_BYTES} bytes`);
    if (end === -1) return undefined;
    wanted = bodyLength(head.subarray(0, end));
    const rest = head.subarray(end + END.length);
    head = Buffer.alloc(0);
    return rest;
  };

  const readBody = (bytes: Buffer, length: number): { rest: Buffer; message: unknown } | undefined => {
    const taken = bytes.subarray(0, length - have);
    parts.push(taken);
    have += taken.length;
    if (have < length) return undefined;
    const text = Buffer.concat(parts).toString("utf8");
    parts = [];
    have = 0;
    wanted = undefined;
    return { rest: bytes.subarray(taken.length), message: parseBody(text) };
  };

  return {
    read: (chunk) => {
      const messages: unknown[] = [];
      for (let left: Buffer | undefined = chunk; left !== undefined && (left.length > 0 || wanted === 0); ) {
        if (wanted === undefined) {
          left = readHeader(left);
          continue;
        }
        const done = readBody(left, wanted);
        if (done !== undefined) messages.push(done.message);
        left = done?.rest;
      }
      return messages;
    },
  };
}

function bodyLength(header: Buffer): number {
  if (header.some((byte) => byte > 126 || (byte < 32 && byte !== 13 && byte !== 10 && byte !== 9)))
    throw new FrameError("a header that is not ASCII");
  const found = /(?:^|\r\n)content-length:[ \t]*(\d{1,12})[ \t]*(?:\r\n|$)/i.exec(header.toString("latin1"));
  if (found === null) throw new FrameError("a header without Content-Length");
  const length = Number(found[1]);
  if (length > BODY_BYTES) throw new FrameError(`a message of ${length} bytes`);
  return length;
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new FrameError("a message that is not JSON"); // the server writes something else to its standard output
  }
}
