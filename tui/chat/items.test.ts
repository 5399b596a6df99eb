import assert from "node:assert/strict";
import { test } from "node:test";
import { toItems } from "./items.js";

const CASES: readonly (readonly [args: string, preview: string])[] = [
  ['{"command":"npm test","timeout":5}', "npm test"],
  ['{"content":"long","path":"a.txt"}', "a.txt"],
  ['{"action":"list"}', '{"action":"list"}'],
  ['{"command":"a\\nb\\u001b[31m"}', "a b␛"],
  ["{broken", "{broken"],
  ["null", "null"],
];

for (const [args, preview] of CASES) {
  test(`a stored call with ${args} is shown by what it is about`, () => {
    const [item] = toItems([{ role: "assistant", content: "", toolCalls: [{ id: "c", name: "t", arguments: args }] }]);
    assert.equal(item?.kind === "tool" ? item.preview : undefined, preview);
  });
}
