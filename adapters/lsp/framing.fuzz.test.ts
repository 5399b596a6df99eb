import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { toFindings } from "./findings.js";
import { createFrameReader, encodeFrame, FrameError } from "./framing.js";
import { lineMap } from "./lines.js";

const runs = process.env["AGENT_TEST_SHORT"] === "1" ? 300 : 3_000;
const good = Buffer.concat([1, 2, 3].map((id) => encodeFrame({ id, result: { items: ["ä", "\r\n\r\n"] } })));

test("damaged streams give messages or a frame error, and nothing else", () => {
  const edit = fc.record({
    at: fc.nat(good.length - 1),
    bytes: fc.uint8Array({ maxLength: 12 }),
    cut: fc.nat(8),
    size: fc.integer({ min: 1, max: 64 }),
  });
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), (edits) => {
      let stream: Buffer = good;
      for (const { at, bytes, cut } of edits)
        stream = Buffer.concat([stream.subarray(0, at), bytes, stream.subarray(at + cut)]);
      const reader = createFrameReader();
      const size = edits[0]?.size ?? 1;
      try {
        for (let at = 0; at < stream.length; at += size) reader.read(stream.subarray(at, at + size));
      } catch (error) {
        assert.ok(error instanceof FrameError, String(error));
      }
    }),
    { numRuns: runs },
  );
});

test("whatever a server calls diagnostics becomes findings or nothing", () => {
  fc.assert(
    fc.property(fc.anything(), fc.array(fc.anything()), (one, many) => {
      for (const finding of [...toFindings(one), ...toFindings(many)]) assert.equal(typeof finding.message, "string");
    }),
    { numRuns: runs },
  );
});

test("a line that is found again after an edit is the same line, and none is found twice", async () => {
  const text = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 30 }).map((lines) => lines.join("\n"));
  await fc.assert(
    fc.asyncProperty(text, text, async (before, after) => {
      const old = before.split("\n");
      const made = after.split("\n");
      const moved = await lineMap(before, after);
      const places = old.map((_, line) => moved(line));
      for (const [line, place] of places.entries()) if (place !== undefined) assert.equal(made[place], old[line]);
      const found = places.filter((place) => place !== undefined);
      assert.deepEqual(
        found,
        [...new Set(found)].toSorted((a, b) => a - b),
      );
    }),
    { numRuns: runs },
  );
});
