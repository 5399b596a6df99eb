import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionId } from "../../base/units.js";
import type { MessageRecord } from "../../contracts/chat/chat.js";
import { historyOf, sumTokens } from "./history.js";
import { oldPicturesRemoved } from "./old-pictures.js";

/** Messages with pictures: `u2` is one of the user with two, `t1` a result with one. */
function messages(text: string): MessageRecord[] {
  return text.split(" ").map((word, at) => ({
    id: at + 1,
    session: "s" as SessionId, // any session will do
    ordinal: at + 1,
    role: word.startsWith("u") ? "user" : "tool",
    ...(word.startsWith("t") ? { toolName: "computer_use" } : {}),
    content: `message ${at + 1}`,
    active: true,
    created_at: 0,
    pictures: Array.from({ length: Number(word.slice(1)) }, (_, n) => ({ path: `/${at}-${n}.png`, name: `${n}.png` })),
  })) as unknown as MessageRecord[]; // what compaction reads of them
}

const SHOT = "[screenshot removed to save context]";
const ATTACHED = "[Attached image: removed by compaction]";

/** Pictures that stay, and lines that came, of each message. */
function after(text: string, tail: number) {
  const { items } = historyOf(messages(text));
  return items.map(oldPicturesRemoved(items, tail)).map(({ content, pictures = [] }) => {
    const marks = content.split("\n").filter((line) => line === SHOT || line === ATTACHED).length;
    return `${pictures.length}+${marks}`;
  });
}

test("pictures of the user stay from the newest message that holds any", () => {
  assert.deepEqual(after("u1 u2 u0 u3 u0", 1), ["0+1", "0+2", "0+0", "3+0", "0+0"]);
});

test("pictures of results stay in the tail, the three newest of them; a result's last pictures are the newest", () => {
  assert.deepEqual(after("t1 t2 t2 t1", 1), ["0+1", "0+2", "2+0", "1+0"]);
  assert.deepEqual(after("t1 t2 t3 t1", 2), ["0+1", "0+2", "2+1", "1+0"]);
  assert.deepEqual(after("t1 t1 t1", 3), ["0+1", "0+1", "0+1"], "no tail");
});

test("what was removed counts no tokens any more, and is not marked again", () => {
  const { items } = historyOf(messages("u1 t1 t1 u1"));
  const once = items.map(oldPicturesRemoved(items, 3));
  assert.ok(sumTokens(items) - sumTokens(once) > 4_000);
  assert.deepEqual(once.map(oldPicturesRemoved(once, 3)), once);
});
