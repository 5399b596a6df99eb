import assert from "node:assert/strict";
import { test } from "node:test";
import { comesLate } from "./late-deltas.js";

test("only what was written before its message was stored comes late, and a clock that was set back silences nothing", () => {
  const late = (event: string, at: number) => comesLate({ event, at: new Date(at).toISOString() }, 100_000);
  assert.deepEqual(
    [
      late("text.delta", 100_000),
      late("reasoning.delta", 99_000),
      late("text.delta", 100_001),
      late("text.delta", 30_000),
      late("turn.phase", 99_000),
    ],
    [true, true, false, false, false],
  );
});
