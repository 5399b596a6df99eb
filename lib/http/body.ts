import type { IncomingMessage } from "node:http";
import { AppError } from "../base/errors.js";

const TOO_DEEP = 64;

/**
 * Read a JSON body of at most `max` bytes. Empty is `{}`.
 *
 * @throws E_TOO_LARGE, E_INVALID no JSON, or nested deeper than 64
 */
export async function readJson(request: IncomingMessage, max: number): Promise<unknown> {
  const text = textOf(await readBodyBytes(request, max)).trim();
  if (text === "") return {};
  const value = parsed(text);
  if (depthOf(value) > TOO_DEEP)
    throw new AppError("E_INVALID", `the request body is more than ${TOO_DEEP} levels deep`);
  return value;
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new AppError("E_INVALID", "the request body is not UTF-8", {}, error);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AppError("E_INVALID", "the request body is not JSON", {}, error);
  }
}

/** @throws E_TOO_LARGE */
export async function readBodyBytes(request: IncomingMessage, max: number): Promise<Buffer> {
  if (Number(request.headers["content-length"] ?? 0) > max) throw tooLarge(max);
  const parts: Buffer[] = [];
  let size = 0;
  // The connection is needed for the answer when the body is left half read.
  for await (const part of request.iterator({ destroyOnReturn: false })) {
    const chunk = part as Buffer; // no encoding is set, so the stream gives buffers
    size += chunk.length;
    if (size > max) throw tooLarge(max);
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}

const tooLarge = (max: number): AppError =>
  new AppError("E_TOO_LARGE", `the request body exceeds ${max} bytes`, { max });

function depthOf(value: unknown, depth = 0): number {
  if (typeof value !== "object" || value === null || depth > TOO_DEEP) return depth;
  let deepest = depth + 1;
  for (const inner of Object.values(value)) deepest = Math.max(deepest, depthOf(inner, depth + 1));
  return deepest;
}
