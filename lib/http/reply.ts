import type { ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { type AppError, ERRORS, type ErrorCode } from "../base/errors.js";
import type { Log } from "../base/log/log.js";
import type { EndpointReply, JsonReply } from "./endpoint.js";
import type { GuardVerdict } from "./guard.js";
import { answerJson, type ErrorShape } from "./listener.js";

/** Errors of a listener of endpoints. */
export const detailShape: ErrorShape = ({ message, code }) => ({ detail: message, code });

/** What a refusal of the guard says on a listener of endpoints. */
export function guardRefusal(verdict: Extract<GuardVerdict, { ok: false }>): {
  readonly code: ErrorCode;
  readonly message: string;
} {
  const message = verdict.rule === "G3" ? `Invalid Host header. ${verdict.message}` : verdict.message;
  return { code: verdict.status === 403 ? "E_FORBIDDEN" : "E_INVALID", message };
}

/** Send an answer. Resolves when it has left, or its reader has. */
export async function send(response: ServerResponse, reply: EndpointReply, log: Log): Promise<void> {
  if ("json" in reply) {
    answerJson(response, reply.status ?? 200, reply.json, reply.headers);
    return;
  }
  if (!("stream" in reply) && !("bytes" in reply)) {
    response.writeHead(reply.status, { "cache-control": "no-store", ...reply.headers }).end();
    return;
  }
  const length = "bytes" in reply ? { "content-length": reply.bytes.length } : {};
  const safe = { "x-content-type-options": "nosniff", "cache-control": "no-store" };
  response.writeHead(reply.status ?? 200, { ...safe, ...length, ...reply.headers });
  if ("bytes" in reply) response.end(reply.bytes);
  else if (response.req.method === "HEAD") {
    reply.stream.destroy();
    response.end();
  } else
    await pipeline(reply.stream, response).catch((error: unknown) =>
      log.debug("a download was interrupted", { error: String(error) }),
    );
}

/** What a client learns of a fault of ours. */
export const BROKEN = "internal error; see the log";

/** The answer to an error: its text is for the user, unless something of ours is broken. `data.http` is a status that only this case has. */
export function problem(error: AppError): JsonReply {
  const own = error.data["http"];
  const status = typeof own === "number" ? own : ERRORS[error.code].http;
  const detail = error.code === "E_INTERNAL" ? BROKEN : error.message;
  return { status, json: { detail, code: error.code } };
}

/** Nothing is at this path. */
export const notFound = (path: string): JsonReply => ({
  status: 404,
  json: { detail: `not found: ${JSON.stringify(path.slice(0, 200))}`, code: "E_NOT_FOUND" },
});

/** The path takes other methods. */
export const wrongMethod = (allowed: readonly string[]): JsonReply => ({
  status: 405,
  json: { detail: `allowed: ${allowed.join(", ")}`, code: "E_INVALID" },
  headers: { allow: allowed.join(", ") },
});
