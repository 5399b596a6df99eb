import assert from "node:assert/strict";
import { test } from "node:test";
import { boundLines } from "./bounded-lines.js";

/** What passes a bound of 40 bytes, and what is answered. */
async function passed(pieces: readonly string[]) {
  const answers: string[] = [];
  const { input } = boundLines(
    {
      input: new ReadableStream({
        start: (controller) => {
          for (const piece of pieces) controller.enqueue(Buffer.from(piece));
          controller.close();
        },
      }),
      output: new WritableStream({ write: (chunk) => void answers.push(Buffer.from(chunk).toString()) }),
    },
    40,
  );
  const got: Uint8Array[] = [];
  for await (const chunk of input) got.push(chunk);
  return { text: Buffer.concat(got).toString(), answers: answers.map((one): unknown => JSON.parse(one)) };
}

const long = "x".repeat(50);

test("lines within the bound pass unchanged, however they are cut, and so does an end without a line feed", async () => {
  const text = `{"a":1}\n{"b":"${"y".repeat(30)}"}\n\nlast`;
  assert.deepEqual(await passed([text]), { text, answers: [] });
  assert.deepEqual(await passed([...text]), { text, answers: [] });
});

test("a line beyond the bound is dropped and answered with the id of its request; the next one passes", async () => {
  for (const cut of [1, 7, 1_000]) {
    const whole = `{"jsonrpc":"2.0","id":"a7","method":"m","params":{"id":9,"t":"${long}"}}\n{"n":1}\n`;
    const pieces = whole.match(new RegExp(`[^]{1,${cut}}`, "g")) ?? [];
    const { text, answers } = await passed(pieces);
    assert.equal(text, '{"n":1}\n');
    assert.equal(answers.length, 1);
    const [{ id, error }] = answers as [{ id: unknown; error: { code: number; message: string } }];
    assert.deepEqual([id, error.code], ["a7", -32600]);
    assert.match(error.message, /was dropped; send less text/);
  }
});

test("an id within what a message carries is not taken for that of the message", async () => {
  const { answers } = await passed([`{"method":"m","params":{"id":9,"t":"${long}"},"id":4}\n`]);
  assert.deepEqual((answers as [{ id: unknown }])[0].id, null);
});
