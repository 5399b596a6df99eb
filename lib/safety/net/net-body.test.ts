import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { TestContext } from "node:test";
import { bothClients } from "../../../fixtures/both-clients.js";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { NetError, type NetRequest } from "../../base/net/net.js";
import { createNet } from "./net.js";

/** A server that tells how many bytes of a request came, and how it ended. */
async function listening(t: TestContext, stays: boolean) {
  const ends: Promise<readonly [bytes: number, whole: boolean]>[] = [];
  let came: () => void = () => undefined;
  const arrived = new Promise<void>((resolve) => {
    came = resolve;
  });
  const server = createServer((request, response) => {
    let bytes = 0;
    request.on("data", (piece: Buffer) => {
      bytes += piece.length;
      came();
    });
    ends.push(new Promise((resolve) => request.once("close", () => resolve([bytes, request.complete]))));
    request.once("end", () => response.end(`${bytes}`));
    request.on("error", () => undefined);
  });
  const port = await new Promise<number>((resolve) =>
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" ? (address?.port ?? 0) : 0);
    }),
  );
  const net = createNet({ clock: manualClock(), allowPrivate: () => true, stays });
  t.after(async () => {
    await net.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const put = (body: AsyncIterable<Uint8Array>, signal?: AbortSignal) =>
    net.fetch({
      method: "POST",
      purpose: "model",
      redirects: false,
      url: `http://127.0.0.1:${port}/`,
      headers: {},
      body,
      ...(signal === undefined ? {} : { signal }),
    } satisfies NetRequest);
  return { put, ends, arrived };
}

bothClients(
  "a body in pieces goes out as it is made, and no piece is asked for that nobody takes yet",
  async (t, stays) => {
    const { put } = await listening(t, stays);
    let ended = false;
    const pieces = async function* () {
      try {
        for (let made = 0; made < 64; made++) yield Buffer.alloc(64 << 10, made);
      } finally {
        ended = true;
      }
    };
    const response = await put(pieces());
    assert.deepEqual([response.status, await response.text(100), ended], [200, String(4 << 20), true]);
  },
);

bothClients("a body whose pieces fail is never taken for a whole one", async (t, stays) => {
  const { put, ends, arrived } = await listening(t, stays);
  const pieces = async function* () {
    yield Buffer.alloc(100_000);
    await arrived;
    throw new Error("the disk is gone");
  };
  await assert.rejects(put(pieces()), (error) => error instanceof NetError && /the disk is gone/.test(error.message));
  assert.deepEqual((await ends[0])?.[1], false);
});

bothClients("a body whose request is stopped is left, and what it holds is let go", async (t, stays) => {
  const { put, ends } = await listening(t, stays);
  const control = new AbortController();
  let left: () => void = () => undefined;
  const gone = new Promise<void>((resolve) => {
    left = resolve;
  });
  const pieces = async function* () {
    try {
      for (;;) {
        yield Buffer.alloc(64 << 10);
        control.abort();
      }
    } finally {
      left();
    }
  };
  await assert.rejects(
    put(pieces(), control.signal),
    (error) => error instanceof NetError && error.failure === "aborted",
  );
  await gone;
  if (ends.length > 0) assert.equal((await ends[0])?.[1], false);
});
