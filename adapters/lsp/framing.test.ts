import assert from "node:assert/strict";
import { test } from "node:test";
import { proves } from "../../fixtures/requirements.js";
import { BODY_BYTES, createFrameReader, encodeFrame, FrameError, HEADER_BYTES } from "./framing.js";

const messages = [
  { id: 1, result: { text: "äöü 漢字 \r\n\r\n Content-Length: 3" } },
  { method: "x" },
  { id: 2, result: null },
];
const stream = Buffer.concat(messages.map((message) => encodeFrame(message)));
const expected = messages.map((message) => ({ jsonrpc: "2.0", ...message }));

test("messages are the same wherever the stream is cut", () => {
  for (let size = 1; size <= 40; size++) {
    const reader = createFrameReader();
    const got: unknown[] = [];
    for (let at = 0; at < stream.length; at += size) got.push(...reader.read(stream.subarray(at, at + size)));
    assert.deepEqual(got, expected, `pieces of ${size} bytes`);
  }
});

test("other header fields, their order and case do not matter", () => {
  const reader = createFrameReader();
  const text =
    "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nCONTENT-length:\t2\r\n\r\n{}content-length: 2 \r\nX: y\r\n\r\n[]";
  assert.deepEqual(reader.read(Buffer.from(text)), [{}, []]);
});

const wrong: [title: string, bytes: string | Buffer, why: RegExp][] = [
  ["a header block above 8 KiB", `X: ${"y".repeat(HEADER_BYTES)}`, /8192 bytes/],
  [
    "a header block above 8 KiB that has its end",
    `X: ${"y".repeat(HEADER_BYTES)}\r\nContent-Length: 2\r\n\r\n{}`,
    /8192 bytes/,
  ],
  [
    "a header that is not ASCII",
    Buffer.concat([Buffer.from("Content-Length: 2\r\nX: "), Buffer.from([0xc3, 0xa4]), Buffer.from("\r\n\r\n{}")]),
    /ASCII/,
  ],
  ["a header without a length", "Hello: 1\r\n\r\n{}", /without Content-Length/],
  ["a negative length", "Content-Length: -1\r\n\r\n{}", /without Content-Length/],
  ["a length that is no number", "Content-Length: 0x10\r\n\r\n{}", /without Content-Length/],
  ["an enormous length", `Content-Length: ${BODY_BYTES + 1}\r\n\r\n`, /message of/],
  ["a body that is no JSON", "Content-Length: 5\r\n\r\nhello", /not JSON/],
  ["an empty body", "Content-Length: 0\r\n\r\n", /not JSON/],
];

for (const [title, bytes, why] of wrong) {
  test(`${title} ends the connection`, (t) => {
    proves(t, "limit.lsp-framing");
    assert.throws(
      () => createFrameReader().read(Buffer.from(bytes)),
      (error) => error instanceof FrameError && why.test(error.message),
    );
  });
}

test("a header block of exactly 8 KiB is read", (t) => {
  proves(t, "limit.lsp-framing");
  const length = "Content-Length: 2\r\nX: ";
  const header = `${length}${"y".repeat(HEADER_BYTES - length.length)}`;
  assert.deepEqual(createFrameReader().read(Buffer.from(`${header}\r\n\r\n{}`)), [{}]);
});
