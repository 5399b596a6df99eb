import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { type SkillHome, skillHome, skillText } from "../../../fixtures/sim/skill-home.js";
import { bundleProgram } from "../../../fixtures/worlds/program.js";

const bundled = bundleProgram("fixtures/workers/skill-write.ts");
after(async () => (await bundled).remove());

const AGENT = { who: "agent" } as const;
const CHANGES = ["create", "patch", "write_file", "delete", "absorb", "undo", "approve"] as const;

/** Where the process is killed. What is killed before its record is there has not happened; a later kill is made good. */
const POINTS = [
  ["skill.drafted:1", "old"],
  ["skill.begun:1", "old"],
  ["skill.recorded:1", "new"],
  ["skill.file-done:1", "new"],
  ["skill.file-done:2", "new"],
  ["directory.moving:1", "new"],
  ["directory.moved:1", "new"],
  ["file.drafted/.usage.json:1", "new"],
  ["skill.settling:1", "new"],
] as const;

async function prepared(home: SkillHome, what: string): Promise<void> {
  home.put("there/SKILL.md", skillText("there", "old text"));
  home.put("there/references/a.md", "kept\n");
  home.put("other/SKILL.md", skillText("other", "old text"));
  const edit = { action: "patch", name: "there", old_string: "old text", new_string: "new text" } as const;
  if (what === "undo") await home.writes.apply(await home.writes.plan(edit, AGENT), AGENT);
  if (what === "approve") await home.writes.stage(await home.writes.plan(edit, AGENT), AGENT);
}

for (const what of CHANGES) {
  test(`${what}: killed at any step, skills are old or new as a whole after the next look`, async (t) => {
    const { file } = await bundled;
    const run = (dir: string, fault?: string) =>
      spawnSync(process.execPath, [file, dir, what], {
        encoding: "utf8",
        env: { PATH: process.env["PATH"], ...(fault === undefined ? {} : { AGENT_FAULT: fault }) },
      });
    const whole = skillHome(t);
    await prepared(whole, what);
    const before = whole.tree();
    const done = run(whole.dir);
    assert.equal(done.status, 0, done.stderr);
    const next = whole.tree();
    assert.notDeepEqual(next, before);
    let killed = 0;
    for (const [point, state] of POINTS) {
      const home = skillHome(t);
      await prepared(home, what);
      const ended = run(home.dir, point);
      if (ended.signal !== "SIGKILL") continue; // the change does not pass there
      killed += 1;
      const versions = await home.writes.versions(what === "create" ? "made" : what === "absorb" ? "other" : "there");
      assert.deepEqual(home.tree(), state === "old" ? before : next, point);
      assert.equal(versions.length, (state === "old" ? 0 : 1) + (what === "undo" ? 1 : 0), point);
      assert.deepEqual(leftovers(home), [], point);
      const waiting = await home.writes.pending();
      assert.equal(waiting.length, what === "approve" && state === "old" ? 1 : 0, point);
      if (what === "create" && state === "new") assert.equal(home.usage.of("made").created_by, "agent", point);
    }
    assert.ok(killed >= 5, `${killed} kills`);
  });
}

/** What a change must not leave in the directory of versions. */
const leftovers = ({ dir }: SkillHome): readonly string[] =>
  readdirSync(join(dir, "skills", ".versions")).filter((name) => name === ".applying");

test("two processes that change the same skill at once: one change after the other, none is lost or torn", async (t) => {
  const { file } = await bundled;
  const home = skillHome(t);
  home.put("there/SKILL.md", skillText("there", "old text"));
  home.put("other/SKILL.md", skillText("other", "old text"));
  const { spawn } = await import("node:child_process");
  const ended = await Promise.all(
    ["patch", "patch", "write_file"].map(
      (what) =>
        new Promise<number | null>((resolve) => {
          spawn(process.execPath, [file, home.dir, what], { stdio: "ignore" }).once("exit", (status) =>
            resolve(status),
          );
        }),
    ),
  );
  assert.equal(ended[2], 0);
  assert.equal(ended.slice(0, 2).filter((status) => status === 0).length, 1);
  assert.equal(home.read("there/SKILL.md"), skillText("there", "new text"));
  assert.equal(home.read("there/scripts/x.sh"), "new text\n");
  assert.deepEqual((await home.writes.versions("there")).map(({ number }) => number).toSorted(), [1, 2]);
});
