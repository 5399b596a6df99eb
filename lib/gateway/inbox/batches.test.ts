import assert from "node:assert/strict";
import { test } from "node:test";
import type { InboxRow, PlatformTag } from "../../contracts/board/platform-tag.js";
import { batchOf } from "./batches.js";

const QUIET_MS = 600;

/** Waiting rows of one person that belong together, a tenth of a second apart. */
function rowsOf(platform: PlatformTag, texts: readonly string[], quietMs = QUIET_MS): readonly InboxRow[] {
  return texts.map((text, at) => {
    const shape = { seq: at + 1, platform, session_key: "s", joins: 1, user_id: "u", user_id_alt: null };
    return {
      ...shape,
      received_at: at * 100,
      due_at: at * 100 + quietMs,
      payload: JSON.stringify({ text }),
    } as unknown as InboxRow; // what is looked at
  });
}

const ROWS: readonly (readonly [
  what: string,
  tag: PlatformTag,
  texts: readonly string[],
  joined: number,
  due: number,
])[] = [
  ["eight messages of MSGF are one turn, when it is quiet", "msgf", Array(8).fill("x"), 8, 700 + QUIET_MS],
  ["the ninth is another turn, and nothing is waited for", "msgf", Array(9).fill("x"), 8, QUIET_MS],
  ["4000 characters of MSGF are one turn", "msgf", ["x".repeat(2000), "y".repeat(2000)], 2, 100 + QUIET_MS],
  ["what goes beyond them is another turn", "msgf", ["x".repeat(2000), "y".repeat(2001)], 1, QUIET_MS],
  ["one message that is longer is a turn", "msgf", ["x".repeat(9000)], 1, QUIET_MS],
  ["elsewhere more are joined", "msgt", Array(20).fill("x"), 20, 1900 + QUIET_MS],
];

for (const [what, tag, texts, joined, due] of ROWS) {
  test(what, () => {
    const batch = batchOf(rowsOf(tag, texts));
    assert.deepEqual([batch?.rows.length, batch?.dueAt], [joined, due]);
  });
}

test("MSGX waits for quiet at most five seconds from the first message on", () => {
  const rows = rowsOf("msgx", Array(30).fill("x"), 3000);
  assert.equal(batchOf(rows)?.dueAt, 5000);
  assert.equal(batchOf(rows.slice(0, 3))?.dueAt, 3200);
});
