import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldProduct, type QrCode, qrOf, qrText } from "./qr.js";

/** Modules that hold no data, by the drawing of the standard. */
function isPattern(x: number, y: number, size: number): boolean {
  const version = (size - 17) / 4;
  if (x === 6 || y === 6 || (x < 9 && y < 9) || (x >= size - 8 && y < 9) || (x < 9 && y >= size - 8)) return true;
  if (version >= 7 && ((x >= size - 11 && y < 6) || (y >= size - 11 && x < 6))) return true;
  const places =
    { 1: [], 2: [6, 18], 3: [6, 22], 4: [6, 26], 5: [6, 30], 7: [6, 22, 38], 10: [6, 28, 50] }[version] ?? [];
  const last = places.at(-1);
  return places.some((px) =>
    places.some((py) => {
      const corner = (px === 6 && py === 6) || (px === 6 && py === last) || (px === last && py === 6);
      return !corner && Math.abs(px - x) <= 2 && Math.abs(py - y) <= 2;
    }),
  );
}

/** The bytes of a code, read as a phone does: in columns of two from the right, up and down. */
function bytesOf(code: QrCode): number[] {
  const size = code.length;
  const bits: number[] = [];
  let up = true;
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right -= 1;
    for (let step = 0; step < size; step++) {
      const y = up ? size - 1 - step : step;
      for (const x of [right, right - 1])
        if (!isPattern(x, y, size)) bits.push((code[y]?.[x] === true) !== ((x + y) % 2 === 0) ? 1 : 0);
    }
    up = !up;
  }
  return Array.from({ length: Math.floor(bits.length / 8) }, (_, at) =>
    Number.parseInt(bits.slice(at * 8, at * 8 + 8).join(""), 2),
  );
}

/** All zero: data and checks of a block belong together. */
function syndromes(block: readonly number[], checks: number): number[] {
  let root = 1;
  return Array.from({ length: checks }, () => {
    const value = block.reduce((sum, byte) => fieldProduct(sum, root) ^ byte, 0);
    root = fieldProduct(root, 2);
    return value;
  });
}

/** Length of the text -> version, and the checks of its one block. */
const SINGLE: readonly (readonly [length: number, version: number, checks: number])[] = [
  [1, 1, 7],
  [17, 1, 7],
  [18, 2, 10],
  [53, 3, 15],
  [78, 4, 20],
  [106, 5, 26],
];

for (const [length, version, checks] of SINGLE) {
  test(`a text of ${length} bytes is a code of version ${version} that can be read back, with checks that fit`, () => {
    const text = "https://a.example/?".repeat(9).slice(0, length);
    const code = qrOf(text);
    assert.ok(code);
    assert.equal(code.length, 17 + 4 * version);
    const bytes = bytesOf(code);
    assert.deepEqual(new Set(syndromes(bytes, checks)), new Set([0]));
    const bits = bytes.map((byte) => byte.toString(2).padStart(8, "0")).join("");
    assert.deepEqual([bits.slice(0, 4), Number.parseInt(bits.slice(4, 12), 2)], ["0100", length]);
    const read = Array.from({ length }, (_, at) => Number.parseInt(bits.slice(12 + at * 8, 20 + at * 8), 2));
    assert.equal(Buffer.from(read).toString(), text);
  });
}

test("a code of several blocks holds them in turn", () => {
  const code = qrOf("x".repeat(150));
  assert.ok(code);
  assert.equal(code.length, 17 + 4 * 7);
  const bytes = bytesOf(code);
  const blocks = [0, 1].map((block) => bytes.filter((_, at) => at % 2 === block));
  for (const block of blocks) assert.deepEqual(new Set(syndromes(block.slice(0, 98), 20)), new Set([0]));
});

test("the signs of level and mask are those of the standard", () => {
  const code = qrOf("a");
  const bits = [0, 1, 2, 3, 4, 5, 7, 8].map((y) => (code?.[y]?.[8] === true ? 1 : 0)).join("");
  // Level L with mask 0 is 111011111000100, the first bits stand lowest.
  assert.equal(bits, "00100011");
});

test("what is too long has no code, and what has one is drawn with a quiet zone", () => {
  assert.equal(qrOf("x".repeat(859)), undefined);
  assert.notEqual(qrOf("x".repeat(858)), undefined);
  const code = qrOf("hi");
  assert.ok(code);
  const lines = qrText(code).split("\n");
  assert.deepEqual([lines[0], lines.every((line) => line.length === 25)], ["█".repeat(25), true]);
});
