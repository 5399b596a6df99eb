import assert from "node:assert/strict";
import { test } from "node:test";
import { toMediaKind } from "./file-kinds.js";

test("a file is sent as what its name says, and as a document where that says nothing", () => {
  assert.deepEqual(toMediaKind("a.PNG"), { kind: "image", mime: "image/png" });
  for (const name of ["a", "a.unknown", "a.constructor", "a.__proto__", "a.toString"])
    assert.deepEqual(toMediaKind(name), { kind: "document", mime: "application/octet-stream" }, name);
});
