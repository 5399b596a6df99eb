import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type TestContext, test } from "node:test";
import { start } from "../../../fixtures/e2e/process.js";

/** A network namespace has no route and no other server; where none can be made, nothing can be said. */
const skip = spawnSync("unshare", ["-rn", "true"]).status === 0 ? false : "unshare -rn is not possible here";

function outside(t: TestContext, prompt: string) {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "agent-nowhere-")));
  t.after(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  writeFileSync(join(dir, "one.txt"), "x\n");
  const env = {
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    HOME: dir,
    AGENT_HOME: join(dir, "home"),
    LANG: "C.UTF-8",
  };
  return start("unshare", ["-rn", process.execPath, resolve("dist/agent.cjs"), "-z", prompt], { env, cwd: dir }).ended;
}

test("C78: an empty home without a key lists the files of a directory by the offline provider", { skip }, async (t) => {
  const { code, out, err } = await outside(t, "list files");
  assert.equal(code, 0, err);
  assert.match(out, /^one\.txt$/m);
});

test("C80: without any network a first prompt is answered", { skip }, async (t) => {
  const { code, out, err } = await outside(t, "hello");
  assert.equal(code, 0, err);
  assert.match(out, /built-in offline assistant/);
});
