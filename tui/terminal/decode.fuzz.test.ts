import assert from "node:assert/strict";
import test from "node:test";
import { createDecoder, type Input } from "./decode.js";

/** Numbers in [0, 1) that are the same for a seed. */
function chance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const PIECES = [
  "a",
  "hello",
  "漢",
  "👩‍💻",
  " ",
  "\x03",
  "\x7f",
  "\t",
  "\x1b[A",
  "\x1b[1;5D",
  "\x1bOP",
  "\x1bOq",
  "\x1b[[B",
  "\x1b[15~",
  "\x1b[13;5u",
  "\x1b[57352u",
  "\x1b[27;5;13~",
  "\x1b[I",
  "\x1b[<65;10;10M",
  "\x1b[200~p\r\n\x1b[Aq\x1b[201~",
  "\x1b]11;rgb:1/2/3\x07",
  "\x1b[?1;2c",
  "\x1bP>|x\x1b\\",
  "\x1b[99;99y",
  "\x1bz",
  "\x1b[M !!",
  "\x1b[97;1:3u",
  "\x1b[3$",
];

function decode(bytes: Buffer, cuts: readonly number[]): string {
  const seen: Input[] = [];
  const due: (() => void)[] = [];
  const push = createDecoder(
    (input) => seen.push(input),
    (_ms, fn) => {
      due.push(fn);
      return () => due.splice(due.indexOf(fn), 1);
    },
    () => 50,
  );
  const places = [0, ...cuts, bytes.length];
  for (let at = 1; at < places.length; at++) push(bytes.subarray(places[at - 1], places[at]));
  for (let expire = due.shift(); expire; expire = due.shift()) expire();
  return seen.map((one) => (one.type === "text" ? one.text : `<${JSON.stringify(one)}>`)).join("");
}

test("keys mean the same in 5,000 random orders and splits of their bytes", () => {
  const next = chance(7);
  const pick = (below: number) => Math.floor(next() * below);
  for (let round = 0; round < 5_000; round++) {
    const bytes = Buffer.from(Array.from({ length: 1 + pick(12) }, () => PIECES[pick(PIECES.length)] ?? "").join(""));
    const cuts = Array.from({ length: pick(6) }, () => pick(bytes.length)).sort((a, b) => a - b);
    assert.equal(
      decode(bytes, cuts),
      decode(bytes, []),
      `round ${round}: ${JSON.stringify(bytes.toString())} cut at ${cuts.join()}`,
    );
  }
});

test("no bytes at all can make the decoder fail or wait for ever", () => {
  const next = chance(11);
  for (let round = 0; round < 2_000; round++) {
    const bytes = Buffer.from(
      Array.from({ length: 1 + Math.floor(next() * 40) }, () => (next() < 0.3 ? 0x1b : Math.floor(next() * 256))),
    );
    assert.doesNotMatch(decode(bytes, []), /[\x00-\x08\x0b-\x1a\x1c-\x1f]/);
  }
});
