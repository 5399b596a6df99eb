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
    const [item] = toItems([{ role: "assistant", content: "", tool_calls: [{ id: "c", name: "t", arguments: args }] }]);
    assert.equal(item?.kind === "tool" ? item.preview : undefined, preview);
  });
}

test("news of work in the background is not said by the person", () => {
  const said = [
    "[Background process p1 finished: exit code 0 (ended). Command: make]",
    "[Background task 7 ended: ok.",
    "[Background noise]",
  ];
  const items = toItems(said.map((content, id) => ({ role: "user", id, content })));
  assert.deepEqual(
    items.map((item) => item.kind === "user" && item.news === true),
    [true, true, false],
  );
});

const BLOCK = "[File src/lex.ts: 2 lines]\n````\n```\n@file:x\n````";
const SAID: readonly (readonly [what: string, content: string, shown: string])[] = [
  [
    "a file behind the words",
    `mend @file:src/lex.ts\n\n${BLOCK}`,
    "mend @file:src/lex.ts\n\n[File src/lex.ts: 2 lines]",
  ],
  [
    "two, and one that could not be read",
    `a\n\n${BLOCK}\n\n[Folder src: 1 entries]\n\`\`\`\nlex.ts\n\`\`\`\n\n[@file:b is not included: no]`,
    "a\n\n[File src/lex.ts: 2 lines]\n[Folder src: 1 entries]\n\n[@file:b is not included: no]",
  ],
  ["one that is cut", "a\n\n[File b.ts: 900 lines]\n```\none\ntwo", "a\n\n[File b.ts: 900 lines]"],
  ["words that only look so", "a\n\n[File b.ts: 900 lines]\nand so on", "a\n\n[File b.ts: 900 lines]\nand so on"],
];

for (const [what, content, shown] of SAID)
  test(`a message with ${what} is shown by its words`, () => {
    const [item] = toItems([{ role: "user", id: 1, content }]);
    assert.equal(item?.kind === "user" ? item.text : undefined, shown);
  });

test("a call whose result holds pictures names them below its output", () => {
  const pictures = [
    { path: "/c/a.png", name: "a.png", width: 8, height: 6 },
    { path: "/c/b\u001b", name: "b" },
  ];
  const [item] = toItems([
    { role: "assistant", content: "", tool_calls: [{ id: "c", name: "t", arguments: "{}" }] },
    { role: "tool", content: "seen", tool_call_id: "c", pictures },
  ]);
  assert.equal(
    item?.kind === "tool" ? item.result?.text : undefined,
    "seen\n[picture: /c/a.png, 8x6]\n[picture: /c/b␛]",
  );
});
