import assert from "node:assert/strict";
import { test } from "node:test";
import { isSwitchedOff, PIECES } from "./plain.js";

test("AGENT_PLAIN=1 switches every piece off, names switch off those, and nothing is off without it", () => {
  const off = (asked: string | undefined) => PIECES.filter((piece) => isSwitchedOff(piece, asked));
  assert.deepEqual(off("1"), PIECES);
  assert.deepEqual(off("code-cache,thin-client"), ["code-cache", "thin-client"]);
  for (const asked of [undefined, "", "0", "code"]) assert.deepEqual(off(asked), []);
});
