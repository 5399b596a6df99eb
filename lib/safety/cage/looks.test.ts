import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { layOutHome } from "../../base/home.js";
import { LIMITS } from "../../base/limits.js";
import { createLooks } from "./looks.js";

/** Looks at a project as they are before and after its commands. `/var/tmp` is hidden in cages, so names are compared, not mounts. */
function world(t: TestContext, projectOf: (user: string) => string) {
  const base = realpathSync(mkdtempSync("/var/tmp/agent-looks-"));
  t.after(() => rmSync(base, { recursive: true }));
  const user = join(base, "user");
  const project = projectOf(user);
  const home = layOutHome(join(base, "home"));
  for (const dir of [home.runDir, home.cache, user, project]) mkdirSync(dir, { recursive: true });
  const clock = manualClock();
  const looks = createLooks({
    home,
    clock,
    own: [],
    shown: [],
    tmpOf: (lineage) => join(base, "tmp", lineage),
    settings: () => ({ writable: [], network: "host" }),
  });
  const hidden = async () =>
    (await looks.look({ directory: project, lineage: "s_1", env: { PATH: "/usr/bin", HOME: user } })).plan.hidden;
  return { user, project, clock, hidden, commandEnds: () => looks.expire("s_1") };
}

test("what a command has made in the project is hidden from the next one", async (t) => {
  const { project, hidden, commandEnds } = world(t, (user) => join(user, "project"));
  await hidden();
  writeFileSync(join(project, ".env"), "TOKEN=x\n");
  commandEnds();
  assert.ok((await hidden()).includes(join(project, ".env")));
});

test("keys that a person makes beside a session are hidden after two seconds at the latest, however busy it is", async (t) => {
  const { user, clock, hidden, commandEnds } = world(t, (home) => join(home, "project"));
  await hidden();
  mkdirSync(join(user, ".ssh"));
  for (let waited = 0; waited < LIMITS.cagePlanMs; waited += 500) {
    commandEnds();
    await hidden();
    clock.advance(500);
  }
  commandEnds();
  assert.ok((await hidden()).includes(join(user, ".ssh")));
});

test("keys that a command makes in a home that is its project are hidden from the next one", async (t) => {
  const { user, hidden, commandEnds } = world(t, (home) => home);
  await hidden();
  mkdirSync(join(user, ".ssh"));
  commandEnds();
  assert.ok((await hidden()).includes(join(user, ".ssh")));
});
