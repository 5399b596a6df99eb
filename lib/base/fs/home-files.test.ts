import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { freeBytes } from "./home-files.js";

const onLinux = { skip: process.platform === "linux" ? false : "needs /proc" };

test("a file system that tells no size is not taken for a full one", onLinux, () => {
  assert.equal(freeBytes("/proc"), undefined);
  assert.ok((freeBytes(tmpdir()) ?? 0) > 0);
});
