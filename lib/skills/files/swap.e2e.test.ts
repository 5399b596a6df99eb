import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { bundleProgram } from "../../../fixtures/worlds/program.js";
import { randomIds } from "../../base/ids.js";
import { systemSpawner } from "../../base/process/spawn-system.js";
import { systemClock } from "../../base/time/clock.js";
import { finishSwaps } from "./swap.js";

const bundled = bundleProgram("fixtures/workers/skill-swap.ts");
after(async () => (await bundled).remove());

/** Where the process is killed, and which state follows. Steps that come several times are killed at each. */
const KILLS: readonly (readonly [point: string, state: "old" | "new"])[] = [
  ["swap.staging:1", "old"],
  ["swap.staged:1", "old"],
  ["file.drafted:1", "old"],
  ["swap.decided:1", "new"],
  ["swap.moved:1", "new"],
  ["directory.moving:1", "new"],
  ["directory.moved:1", "new"],
  ["swap.placed:1", "new"],
  ["swap.placed:2", "new"],
  ["swap.moved:2", "new"],
  ["swap.moved:3", "new"],
  ["swap.placed:3", "new"],
  ["swap.cleaning:1", "new"],
  ["tree.emptied:1", "new"],
];

for (const [point, state] of KILLS) {
  test(`a change of skills that is killed at ${point} is ${state} as a whole after the next look`, async (t) => {
    const { file } = await bundled;
    const dir = mkdtempSync(join(tmpdir(), "agent-swap-"));
    t.after(() => rmSync(dir, { recursive: true, force: true }));
    const run = (text: string, fault?: string) =>
      spawnSync(process.execPath, [file, dir, text], {
        encoding: "utf8",
        env: { PATH: process.env["PATH"], ...(fault === undefined ? {} : { AGENT_FAULT: fault }) },
      });
    const first = run("old");
    assert.equal(first.status, 0, first.stderr);
    const before = filesBelow(join(dir, "skills"));
    const killed = run("new", point);
    assert.equal(killed.signal, "SIGKILL", killed.stderr);
    await finishSwaps({ home: { dir }, clock: systemClock, ids: randomIds, spawner: systemSpawner });
    const skills = join(dir, "skills");
    const expected =
      state === "old"
        ? before
        : [
            ".hub/lock.json",
            "a/replaced/SKILL.md",
            "a/replaced/references/more.md",
            "b/made/SKILL.md",
            "b/made/references/more.md",
          ];
    assert.deepEqual(filesBelow(skills), expected);
    for (const path of expected) assert.match(readFileSync(join(skills, path), "utf8"), new RegExp(state), path);
    assert.equal(existsSync(join(skills, ".staging")), false);
  });
}

function filesBelow(dir: string, below = ""): readonly string[] {
  return readdirSync(join(dir, below), { withFileTypes: true })
    .flatMap((entry) => {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      return entry.isDirectory() ? filesBelow(dir, path) : [path];
    })
    .filter((path) => !path.startsWith(".staging.lock"))
    .toSorted();
}
