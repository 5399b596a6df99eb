import assert from "node:assert/strict";
import { test } from "node:test";
import { RUNTIMES } from "./index.js";

test("every runtime is found by the id that settings spell", async () => {
  for (const [id, load] of RUNTIMES) assert.equal((await load()).id, id);
});
