import assert from "node:assert/strict";
import { test } from "node:test";
import { stubWorld } from "../../fixtures/servers/language/world.js";
import { proves } from "../../fixtures/requirements.js";

const title = "LSP diagnostics introduced by this edit:";

test("an edit tells the error that it introduced, not the older one that it moved", async (t) => {
  const world = stubWorld(t, []);
  const path = world.put("a.py", "one\nBAD old\nthree\n");
  const told = await world.edit("a.py", "zero\nhalf\none\nBAD old\nthree\n  BAD new\n");
  assert.equal(told, `${title}\n<diagnostics file="${path}">\nERROR [6:1] BAD new [E1] (stub)\n</diagnostics>`);
});

test("an edit without a new error tells nothing, and the next one of the same file waits for no baseline", async (t) => {
  const world = stubWorld(t, []);
  world.put("a.py", "BAD old\n");
  assert.equal(await world.edit("a.py", "BAD old\nfine\n"), undefined);
  assert.equal(await world.edit("a.py", "BAD old\nfine\nWARN only\n"), undefined);
  assert.match(String(await world.edit("a.py", "BAD old\nfine\nWARN only\nBAD two\n")), /ERROR \[4:1\] BAD two/);
  const methods = world.heard().map(({ method }) => method);
  const one = ["workspace/didChangeWatchedFiles", "textDocument/didChange", "textDocument/didSave"];
  assert.deepEqual(methods, ["initialize", "initialized", "workspace/didChangeWatchedFiles", "textDocument/didOpen", ...one, ...one, ...one]);
});
