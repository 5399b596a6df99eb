import assert from "node:assert/strict";
import { test } from "node:test";
import { passText } from "./pass.js";

test("a pass tells what it did, and says so when that is nothing", () => {
  const none = {
    reclaimed: 0,
    promoted: 0,
    due: 0,
    spawned: [],
    skipped_capped: 0,
    skipped_paused: 0,
    skipped_unassigned: [],
  };
  assert.equal(passText(none), "The pass found nothing to do.");
  assert.equal(
    passText({ ...none, promoted: 2, skipped_paused: 1 }),
    "Pass: 2 promoted, 1 waiting for the pause to end.",
  );
});
