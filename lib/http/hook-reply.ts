import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { HookReply } from "../contracts/gateway/listen.js";
import { drainRequest } from "./drain.js";

/** Send an answer. Resolves when it has left, or its reader has. After an error the connection is closed. */
export async function sendHook(response: ServerResponse, reply: HookReply): Promise<void> {
  const common = { "cache-control": "no-store", "x-content-type-options": "nosniff", ...closing(reply.status) };
  if ("stream" in reply) {
    response.writeHead(reply.status, { ...common, ...reply.headers });
    return streamed(response, reply.stream);
  }
  const { type, body } = bodyOf(reply);
  response.writeHead(reply.status, {
    ...common,
    ...(type === undefined ? {} : { "content-type": type }),
    "content-length": Buffer.byteLength(body),
    ...reply.headers,
  });
  await new Promise<void>((resolve) => {
    response.once("close", resolve);
    if (reply.status < 400 || response.req.complete) {
      response.end(body, resolve);
      return;
    }
    response.write(body);
    drainRequest(response.req, () => response.end(resolve));
  });
}

const closing = (status: number): Readonly<Record<string, string>> => (status >= 400 ? { connection: "close" } : {});

function bodyOf(reply: Exclude<HookReply, { readonly stream: unknown }>): {
  readonly type?: string;
  readonly body: string;
} {
  if ("json" in reply) return { type: "application/json; charset=utf-8", body: JSON.stringify(reply.json) };
  return "text" in reply ? { type: "text/plain; charset=utf-8", body: reply.text } : { body: "" };
}

async function streamed(response: ServerResponse, stream: AsyncIterable<Uint8Array>): Promise<void> {
  const source = Readable.from(stream, { objectMode: false });
  if (response.req.method === "HEAD") {
    source.destroy();
    response.end();
    return;
  }
  try {
    await pipeline(source, response);
  } catch {
    response.destroy(); // its reader is gone, or what is read of ended: half an answer must not look like a whole one
  }
}
