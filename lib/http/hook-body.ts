import type { IncomingMessage, ServerResponse } from "node:http";
import { aborted } from "../base/async/aborted.js";
import { AppError } from "../base/errors.js";
import { HOOK_BODY_BYTES } from "../contracts/gateway/listen.js";
import { readBodyBytes } from "./body.js";

/** Bytes of bodies that one listener holds at once, with those that are still to come. Above, a client is asked to come again. */
const HELD_BYTES = 64 << 20;

/** Room for the bodies of one listener. */
export interface BodyRoom {
  used: number;
}

/** A body is refused because too many others are being read. */
export class NoRoom extends Error {}

export interface ReadingBody {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly signal: AbortSignal;
  readonly room: BodyRoom;
}

/**
 * Read the body of a request that a stranger sent.
 *
 * @throws E_TOO_LARGE; E_INVALID (415) when it is compressed; E_INTERRUPTED when the client is gone or the listener closes; NoRoom
 */
export async function readHookBody(
  { request, response, signal, room }: ReadingBody,
  maxBytes = HOOK_BODY_BYTES,
): Promise<Buffer> {
  const encoding = request.headers["content-encoding"];
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    throw new AppError("E_INVALID", "compressed request bodies are not supported", { http: 415 });
  }
  const announced = request.headers["content-length"];
  if (Number(announced ?? 0) > maxBytes)
    throw new AppError("E_TOO_LARGE", `the request body exceeds ${maxBytes} bytes`, { max: maxBytes });
  const wanted = announced === undefined ? maxBytes : Number(announced);
  if (room.used + wanted > HELD_BYTES) throw new NoRoom();
  room.used += wanted;
  try {
    if (request.headers.expect !== undefined) response.writeContinue();
    const gone = aborted(signal).then(() => {
      throw interrupted();
    });
    return await Promise.race([wholeBody(request, maxBytes), gone]);
  } finally {
    room.used -= wanted;
  }
}

const interrupted = () => new AppError("E_INTERRUPTED", "the request was interrupted");

async function wholeBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  try {
    return await readBodyBytes(request, maxBytes);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw interrupted(); // the stream broke: its client is gone
  }
}
