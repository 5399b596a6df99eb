import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type OwnerText, tryLock } from "../../storage/lock.js";
import { layOutHome } from "../base/home.js";
import { findProcess, readBootId } from "../base/process/process.js";
import { isBelowTool } from "./below-tool.js";

const skip = process.platform === "linux" ? false : "ancestors are read from /proc";

/** Whether this process counts as started by a tool of a home whose lock was last held by its own parent, as `text` changes that. */
async function isBelowOwner(text: Partial<OwnerText>): Promise<boolean> {
  const home = layOutHome(mkdtempSync(join(tmpdir(), "agent-below-")));
  const parent = { pid: process.ppid, start: findProcess(process.ppid)?.start ?? "", boot: readBootId() };
  try {
    const lock = await tryLock(home.lock);
    lock?.describe({ ...parent, host: hostname(), version: "0.0.0", socket: "", ...text });
    lock?.release();
    return await isBelowTool(home, { kind: "cli", version: "0.0.0" });
  } finally {
    rmSync(home.dir, { recursive: true, force: true });
  }
}

test("a shell that has the pid of an owner that was killed is no tool, after it and after a restart of the system", {
  skip,
}, async () => {
  assert.equal(await isBelowOwner({ start: "1" }), false);
  assert.equal(await isBelowOwner({ boot: "another" }), false);
});
