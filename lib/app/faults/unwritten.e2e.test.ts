import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { world } from "../../../fixtures/e2e/world.js";

const mayMount = spawnSync("unshare", ["-m", "true"]).status === 0;

/** Output of a command goes to a disk that is always full. */
const TO_FULL = `exec "$NODE" "$AGENT" "$@" > /dev/full`;
/** And to one that has room for its beginning. */
const TO_SMALL = `mount -t tmpfs -o size=8k tmpfs "$AGENT_HOME/small" || exit 9; exec "$NODE" "$AGENT" "$@" > "$AGENT_HOME/small/out"`;

for (const owned of [false, true]) {
  test(`output that finds no room is reported once and is a failure, ${owned ? "with" : "without"} an owner`, async (t) => {
    const made = await world(t);
    if (owned) await made.owner();
    const shell = (line: readonly string[], args: readonly string[]) => {
      const env = { ...made.env, NODE: process.execPath, AGENT: made.program };
      const [file = "", ...words] = [...line, "sh", ...args];
      const { status, stderr } = spawnSync(file, words, { env, cwd: made.work, encoding: "utf8" });
      return [status, stderr.split("\n").filter((one) => one.startsWith("agent: failed to write the output"))];
    };
    const ran = (...args: string[]) => shell(["sh", "-c", TO_FULL], args);
    const told = [1, ["agent: failed to write the output: the disk is full"]];
    assert.deepEqual(ran("kanban", "create", "one", "--json"), told);
    assert.deepEqual(ran("kanban", "list"), told);
    assert.deepEqual(ran("-z", "hello"), told);
    assert.deepEqual(ran("--version"), told);
    if (mayMount) {
      mkdirSync(join(made.home.dir, "small"));
      assert.deepEqual(
        shell(["unshare", "-m", "sh", "-c", TO_SMALL], ["help", "kanban"]),
        told,
        "a part of it alone has room",
      );
    }
    assert.equal((await made.json<readonly unknown[]>("kanban", "list")).length, 1, "what was done is done");
  });
}
