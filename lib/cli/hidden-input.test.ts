import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { askHidden } from "./hidden-input.js";

/** A terminal on which `typed` is typed after the question was asked. */
async function asked(typed: readonly string[]) {
  const raw: boolean[] = [];
  const input = Object.assign(new PassThrough(), { setRawMode: (on: boolean) => void raw.push(on) });
  const stop = new AbortController();
  const shown: string[] = [];
  let interrupts = 0;
  const interrupt = () => {
    interrupts += 1;
    stop.abort("SIGINT");
  };
  const show = async (text: string) => void shown.push(text);
  const answer = askHidden("Key: ", { input, show, signal: stop.signal, interrupt });
  await new Promise((resolve) => setImmediate(resolve));
  for (const piece of typed) input.write(piece);
  return { answer: await answer, raw, shown, interrupts, listeners: input.listenerCount("data") };
}

const ROWS: readonly (readonly [name: string, typed: readonly string[], answer: string])[] = [
  ["a line", ["secret\r"], "secret"],
  ["a line in pieces", ["sec", "ret", "\n"], "secret"],
  ["a pasted line with more behind it", ["secret\nls\n"], "secret"],
  ["letters that were taken back", ["sx\u007fecrr\bet\r"], "secret"],
  ["a line that was begun anew", ["wrong\u0015secret\r"], "secret"],
  ["Ctrl+D", ["secret\u0004"], "secret"],
  ["other control characters", ["\u0001se\u001bcret\r"], "secret"],
  ["letters of several bytes", ["schlüssel\r"], "schlüssel"],
  ["nothing", ["\r"], ""],
];

for (const [name, typed, answer] of ROWS) {
  test(`what is typed is taken and never shown: ${name}`, async () => {
    const found = await asked(typed);
    assert.deepEqual(
      [found.answer, found.shown, found.raw, found.listeners],
      [answer, ["Key: ", "\n"], [true, false], 0],
    );
  });
}

test("Ctrl+C gives the question up and leaves the terminal as it was", async () => {
  const found = await asked(["sec\u0003"]);
  assert.deepEqual([found.answer, found.interrupts, found.raw, found.listeners], ["", 1, [true, false], 0]);
});

test("nothing that is typed is shown by the terminal from the moment at which the question stands there", async () => {
  let raw = false;
  const input = Object.assign(new PassThrough(), {
    setRawMode: (on: boolean) => {
      raw = on;
    },
  });
  const seen: [text: string, raw: boolean][] = [];
  const show = async (text: string) => void seen.push([text, raw]);
  const answer = askHidden("Key: ", { input, show, signal: new AbortController().signal, interrupt: () => undefined });
  input.write("secret\r");
  assert.equal(await answer, "secret");
  assert.deepEqual(seen, [
    ["Key: ", true],
    ["\n", false],
  ]);
});
