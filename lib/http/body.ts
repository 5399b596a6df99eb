import type { IncomingMessage } from "node:http";
import { AppError } from "../base/errors.js";

const TOO_DEEP = 64;

/**
 * Read a JSON body of at most `max` bytes. Empty is `{}`.
 *
 * @throws E_TOO_LARGE, E_INVALID no JSON, or nested deeper than 64
 */
export async function readJson(request: IncomingMessage, max: number): Promise<unknown> {
  const bytes = await readBytes(request, max);
  const text = bytes.toString("utf8").trim();
  if (text === "") return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new AppError("E_INVALID", "the body is no JSON", {}, error);
  }
  if (depthOf(value) > TOO_DEEP) throw new AppError("E_INVALID", `the body is nested deeper than ${TOO_DEEP} levels`);
  return value;
}

/** @throws E_TOO_LARGE */
export async function readBytes(request: IncomingMessage, max: number): Promise<Buffer> {
  if (Number(request.headers["content-length"] ?? 0) > max) throw tooLarge(max);
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    const chunk = part as Buffer; // no encoding is set, so the stream gives buffers
    size += chunk.length;
    if (size > max) throw tooLarge(max);
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}

const tooLarge = (max: number): AppError => new AppError("E_TOO_LARGE", `a body has at most ${max} bytes here`, { max });

function depthOf(value: unknown, depth = 0): number {
  if (typeof value !== "object" || value === null || depth > TOO_DEEP) return depth;
  let deepest = depth + 1;
  for (const inner of Object.values(value)) deepest = Math.max(deepest, depthOf(inner, depth + 1));
  return deepest;
}
