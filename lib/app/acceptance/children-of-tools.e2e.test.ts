import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { CageUse } from "../../../fixtures/permissions/by-agent.js";
import { ownerScene } from "../../../fixtures/permissions/owner-scene.js";
import { parseStep } from "../../../fixtures/permissions/rows.js";
import { noSandbox } from "../../../fixtures/permissions/sandbox.js";
import { programOnPath } from "../../base/process/program-path.js";

const skip = noSandbox() ?? false;
const noCage = programOnPath("bwrap", process.env["PATH"]) === undefined ? "bubblewrap is not installed" : false;

/** Ways to start what speaks to the owner as a front end does. The person allows all of it: that a child runs gives it no vote. */
const DOORS: readonly string[] = [
  "& NODE_PATH=/srv/agent/node_modules node door.cjs",
  "& env -i HOME=$HOME PATH=$PATH NODE_PATH=/srv/agent/node_modules node door.cjs",
  "& NODE_PATH=/srv/agent/node_modules setsid node door.cjs",
  "$ (NODE_PATH=/srv/agent/node_modules setsid node door.cjs > door.log 2>&1 < /dev/null &); sleep 0.1",
  "$ (env -i HOME=$HOME PATH=$PATH NODE_PATH=/srv/agent/node_modules setsid node door.cjs > door2.log 2>&1 < /dev/null &); sleep 0.1",
  "& for i in 1 2 3 4 5 6; do agent chat -c -q '/approve'; done",
  "& for i in 1 2 3 4 5 6; do env -i HOME=$HOME PATH=$PATH setsid agent chat -c -q '/approve always'; done",
];

const WAYS: readonly (readonly [title: string, cage: CageUse, skip: string | false])[] = [
  ["in the cage", "auto", skip || noCage],
  ["without a cage", "off", skip],
];

for (const [title, cage, without] of WAYS) {
  test(`a question is answered by a front end, never by what a tool started: ${title}`, {
    skip: without,
  }, async (t) => {
    const scene = await ownerScene(cage);
    t.after(() => scene.close());
    const { others, results } = await scene.converse(
      [...DOORS, "$ rm -rf q", "$ cat door.log door2.log"].map(parseStep),
    );
    t.diagnostic(results.join("\n").slice(0, 4_000));
    assert.equal(results.length, DOORS.length + 2, "every call was made");
    assert.deepEqual(others, [], results.join("\n").slice(0, 4_000));
    assert.ok(existsSync(join(scene.world.scratch.project, "q")), "what was asked about did not run");
  });
}
