import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonBody, jsonFields } from "./json-body.js";

const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);

const REFUSED: readonly (readonly [what: string, body: string | Buffer])[] = [
  ["nothing", ""],
  ["JSON that is cut off", '{"a":'],
  ["bytes inside a value that are no UTF-8", Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d])],
  ["lists 65 deep", nested("[", "]", 66)],
  ["objects 100,000 deep", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`],
];

for (const [what, body] of REFUSED) {
  test(`a stranger's body is refused that is ${what}`, () => assert.equal(jsonBody(body), undefined));
}

test("a body is read as what it says, and names of methods and prototypes are names", () => {
  assert.deepEqual(jsonBody(Buffer.from("[null]")), { json: [null] });
  assert.deepEqual(jsonBody("null"), { json: null });
  assert.ok(jsonBody(nested("[", "]", 60)));
  const read = jsonFields('{"__proto__":{"polluted":1},"a":"\\ud800"}') ?? {};
  assert.deepEqual([Object.keys(read), Reflect.get({}, "polluted")], [["__proto__", "a"], undefined]);
  for (const text of ["[]", "1", '"a"', "null", "{"]) assert.equal(jsonFields(text), undefined);
});
