import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { AppError } from "../base/errors.js";
import { readForm } from "./multipart.js";

const numRuns = process.env["AGENT_TEST_SHORT"] === "1" ? 200 : 2000;
const TYPE = "multipart/form-data; boundary=ab";

async function* cut(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  for (let at = 0, n = 0; at < bytes.length; n++) {
    const size = sizes[n % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

async function read(bytes: Buffer, sizes: readonly number[]) {
  const parts: { name: string; text: string }[] = [];
  for await (const { name, body } of readForm(cut(bytes, sizes), TYPE, 100_000)) {
    const pieces: Buffer[] = [];
    for await (const piece of body) pieces.push(piece);
    parts.push({ name, text: Buffer.concat(pieces).toString("latin1") });
  }
  return parts;
}

/** Bytes that look like delimiters, and are none. */
const content = fc
  .array(fc.constantFrom("\r", "\n", "-", "--", "a", "b", "\r\n--a", "--a", "x", "\0"), { maxLength: 30 })
  .map((pieces) => pieces.join(""))
  .filter((text) => !`\r\n${text}`.includes("\r\n--ab"));
const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });

const written = (texts: readonly string[]): Buffer =>
  Buffer.from(
    `${texts.map((text, at) => `--ab\r\nContent-Disposition: form-data; name="p${at}"\r\n\r\n${text}\r\n`).join("")}--ab--\r\n`,
    "latin1",
  );

test("whatever is in a form comes out of it, however it is cut", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(content, { maxLength: 5 }), sizes, async (texts, lengths) => {
      assert.deepEqual(
        await read(written(texts), lengths),
        texts.map((text, at) => ({ name: `p${at}`, text })),
      );
    }),
    { numRuns },
  );
});

test("a broken form is refused, and nothing else happens", async () => {
  const broken = fc.tuple(
    fc.array(content, { maxLength: 4 }),
    fc.array(fc.nat(), { maxLength: 6 }),
    fc.nat(),
    fc.boolean(),
  );
  await fc.assert(
    fc.asyncProperty(broken, sizes, async ([texts, places, end, short], lengths) => {
      const bytes = written(texts);
      for (const place of places) bytes[place % bytes.length] = place & 255;
      try {
        await read(short ? bytes.subarray(0, end % bytes.length) : bytes, lengths);
      } catch (error) {
        assert.ok(error instanceof AppError && ["E_INVALID", "E_TOO_LARGE"].includes(error.code), String(error));
      }
    }),
    { numRuns },
  );
});
