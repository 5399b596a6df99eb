import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canonicalJson } from "../../base/json/canonical-json.js";
import { repairJson } from "./repair-json.js";

const REPAIRED: readonly (readonly [text: string, value: unknown])[] = [
  ["", {}],
  ["  \n", {}],
  ['{"a":1}', { a: 1 }],
  ['{"a":"x\ny"}', { a: "x\ny" }],
  ['{"a":"x\ty\u0001"}', { a: "x\ty\u0001" }],
  ['{"a":1,}', { a: 1 }],
  ['{"a":[1,2,],}', { a: [1, 2] }],
  ['{"a":[1,2', { a: [1, 2] }],
  ['{"a":{"b":[{"c":1', { a: { b: [{ c: 1 }] } }],
  ['{"a":1}}', { a: 1 }],
  ['{"a":[1]]}', { a: [1] }],
  ['{"a":1,', { a: 1 }],
  ['{"a":"}{][,}"', { a: "}{][,}" }],
  ['{"a":"quote \\" and }"', { a: 'quote " and }' }],
  ["[1,2", [1, 2]],
];

for (const [text, value] of REPAIRED) {
  test(`${JSON.stringify(text)} is read as ${JSON.stringify(value)}`, () => {
    const repaired = repairJson(text);
    assert.ok(repaired.ok);
    assert.deepEqual(JSON.parse(repaired.json), value);
  });
}

for (const [text, cut] of [
  ['{"a":"x', true],
  ['{"a', true],
  ["{a:1}", false],
  ['{"a" 1}', false],
  ["nonsense", false],
  [`${"[".repeat(60)}`, false],
] as const) {
  test(`${JSON.stringify(text).slice(0, 40)} is not repaired`, () => {
    const repaired = repairJson(text);
    assert.ok(!repaired.ok);
    assert.equal(repaired.cut, cut);
    assert.ok(repaired.error !== "" && repaired.at >= 0);
  });
}

test("valid JSON is never changed", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      assert.deepEqual(repairJson(text), { ok: true, json: text, changed: false });
    }),
  );
});

test("any cut of valid JSON is repaired to JSON or refused, never thrown", () => {
  fc.assert(
    fc.property(fc.json(), fc.double({ min: 0, max: 1, noNaN: true }), (text, share) => {
      const repaired = repairJson(text.slice(0, Math.floor(text.length * share)));
      if (repaired.ok) JSON.parse(repaired.json);
    }),
  );
});

test("equal values have equal bytes", () => {
  assert.equal(
    canonicalJson({ b: [1, { d: 1, c: "é" }], a: null, 2: true, 10: 1 }),
    '{"10":1,"2":true,"a":null,"b":[1,{"c":"é","d":1}]}',
  );
  assert.equal(canonicalJson(JSON.parse('{"__proto__":1}')), '{"__proto__":1}');
});
