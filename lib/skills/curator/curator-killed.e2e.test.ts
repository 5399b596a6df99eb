import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import { openCuratorHome, skillText } from "../../../fixtures/sim/curator-home.js";
import { bundleProgram } from "../../../fixtures/worlds/program.js";
import { systemClock } from "../../base/time/clock.js";

const bundled = bundleProgram("fixtures/workers/curator-work.ts");
after(async () => (await bundled).remove());

type Home = ReturnType<typeof openCuratorHome>;

/** A home with two skills of the agent, one of a person, and a scheduled job that names two of them. */
async function setup(t: TestContext) {
  const { file } = await bundled;
  const dir = mkdtempSync(join(tmpdir(), "agent-curator-killed-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const home = openCuratorHome(dir, systemClock);
  t.after(home.stop);
  await home.make("deploy-web", "Deploy web.");
  await home.make("deploy-api", "Deploy api.");
  home.put("mine/SKILL.md", skillText("mine"));
  home.put("mine/scripts/run.sh", "#!/bin/sh\n", 0o755);
  home.jobs.set("nightly", ["deploy-web", "mine"]);
  const work = (args: readonly string[], fault?: string) =>
    spawnSync(process.execPath, [file, dir, ...args], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"], ...(fault === undefined ? {} : { AGENT_FAULT: fault }) },
    });
  const killed = (args: readonly string[], fault: string) => {
    const ended = work(args, fault);
    assert.equal(ended.signal, "SIGKILL", `${fault}: ${ended.stderr}`);
  };
  const done = (args: readonly string[]) => {
    const ended = work(args);
    assert.equal(ended.status, 0, ended.stderr);
  };
  return { home, killed, done };
}

/** Any next use of the curator that changes something brings what was killed to its end. */
const nextUse = ({ curator }: Home) => curator.prune(36_500, true);

const seen = ({ tree, jobs }: Home) => ({ tree: skillsOnly(tree()), jobs: jobs.get("nightly") });

/** Directories that held archived skills may stay behind, empty. */
const skillsOnly = (tree: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(tree).filter(([path]) => path !== ".archive"));

const RUN: readonly (readonly [point: string, state: "old" | "new"])[] = [
  ["curator.backup-archived:1", "old"],
  ["directory.moving:1", "old"],
  ["curator.backed-up:1", "old"],
  ["curator.proposed:1", "old"],
  ["curator.change-begun:1", "old"],
  ["skill.drafted:1", "old"],
  ["skill.begun:1", "old"],
  ["skill.recorded:1", "new"],
  ["skill.file-done:1", "new"],
  ["directory.moving:2", "new"],
  ["directory.moved:3", "new"],
  ["skill.settling:1", "new"],
  ["curator.skills-changed:1", "new"],
  ["curator.jobs-rewritten:1", "new"],
  ["curator.change-applied:1", "new"],
];

for (const [point, state] of RUN)
  test(`a run that is killed at ${point} leaves the ${state} skills with their scheduled jobs`, async (t) => {
    const { home, killed, done } = await setup(t);
    const before = seen(home);
    killed(["run"], point);
    await nextUse(home);
    const after = seen(home);
    if (state === "old") assert.deepEqual(after, before);
    else {
      assert.equal(home.read("deploy/SKILL.md"), skillText("deploy", "Deploy web and api."));
      assert.deepEqual(after.jobs, ["deploy", "mine"]);
      assert.deepEqual(
        Object.keys(after.tree).filter((path) => path.endsWith("SKILL.md")),
        [".archive/deploy-api/SKILL.md", ".archive/deploy-web/SKILL.md", "deploy/SKILL.md", "mine/SKILL.md"],
      );
      const [change] = (await home.curator.show(undefined)).changes;
      assert.equal(change?.status, "applied");
      await home.curator.undo((await home.curator.show(undefined)).id, undefined);
      assert.deepEqual(seen(home), before);
      return;
    }
    done(["run"]); // the next one works as if nothing had been
    assert.equal(home.read("deploy/SKILL.md"), skillText("deploy", "Deploy web and api."));
  });

const UNDO: readonly (readonly [point: string, state: "old" | "new"])[] = [
  ["curator.undo-begun:1", "new"],
  ["skill.begun:1", "new"],
  ["skill.recorded:1", "old"],
  ["directory.moved:1", "old"],
  ["curator.undo-done:1", "old"],
];

for (const [point, state] of UNDO)
  test(`an undo that is killed at ${point} leaves the ${state} skills with their scheduled jobs`, async (t) => {
    const { home, killed, done } = await setup(t);
    const before = seen(home);
    done(["run"]);
    const changed = seen(home);
    const { id } = await home.curator.show(undefined);
    killed(["undo", id], point);
    await nextUse(home);
    assert.deepEqual(seen(home), state === "old" ? before : changed);
    const [change] = (await home.curator.show(id)).changes;
    assert.equal(change?.status, state === "old" ? "undone" : "applied");
  });

const ROLLBACK: readonly (readonly [point: string, state: "old" | "new"])[] = [
  ["curator.backup-archived:1", "old"],
  ["curator.backed-up:1", "old"],
  ["curator.rollback-planned:1", "new"],
  ["curator.rollback-moving:1", "new"],
  ["curator.rollback-moving:3", "new"],
  ["curator.rollback-moving:5", "new"],
  ["curator.rollback-moved:1", "new"],
];

for (const [point, state] of ROLLBACK)
  test(`a rollback that is killed at ${point} leaves the ${state} skills, every byte and mode`, async (t) => {
    const { home, killed } = await setup(t);
    const saved = seen(home);
    const { id } = await home.curator.backup("first");
    home.put("mine/SKILL.md", skillText("mine", "Changed."));
    home.put("more/SKILL.md", skillText("more"));
    await home.curator.archive("deploy-web");
    home.jobs.set("nightly", ["mine"]);
    const present = seen(home);
    killed(["rollback", id], point);
    await nextUse(home);
    assert.deepEqual(seen(home), state === "new" ? saved : present);
    assert.ok(!readdirSync(join(home.dir, "skills")).includes(".curator_rollback"));
  });

test("a rollback that was killed is finished by anyone who reads the skills next", async (t) => {
  const { home, killed } = await setup(t);
  const saved = seen(home);
  const { id } = await home.curator.backup("first");
  home.put("mine/SKILL.md", skillText("mine", "Changed."));
  home.put("more/SKILL.md", skillText("more"));
  home.jobs.set("nightly", ["mine"]);
  killed(["rollback", id], "curator.rollback-moving:2");
  const names = (await home.catalog.catalog({ env: {} })).skills.map(({ name }) => name);
  assert.deepEqual(names.toSorted(), ["deploy-api", "deploy-web", "mine"]);
  assert.deepEqual(seen(home), saved);
  assert.ok(!readdirSync(join(home.dir, "skills")).includes(".curator_rollback"));
});

test("a backup that is killed while it is made or an old one removed leaves only whole backups, five of them", async (t) => {
  const { home, killed, done } = await setup(t);
  for (let n = 0; n < 5; n++) done(["backup"]);
  for (const point of ["curator.backup-archived:1", "curator.backed-up:1", "curator.backup-removing:1"]) {
    killed(["backup"], point);
    for (const { id, files } of await home.curator.backups()) assert.equal(files > 0, true, id);
  }
  done(["backup"]);
  const kept = await home.curator.backups();
  assert.equal(kept.length, 5);
  const left = readdirSync(join(home.dir, "skills/.curator_backups"));
  assert.deepEqual(left.toSorted(), kept.map(({ id }) => id).toSorted());
  await home.curator.rollback(kept[4]?.id);
});
