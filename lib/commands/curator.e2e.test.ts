import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { eventually } from "../../fixtures/e2e/eventually.js";
import { type World, world } from "../../fixtures/e2e/world.js";
import type { CuratorRun, CuratorStatus, SkillBackup } from "../contracts/skills/curator.js";

const skillText = (name: string, body: string) => `---\nname: ${name}\ndescription: What ${name} does.\n---\n${body}\n`;

function put({ home }: World, path: string, text: string): void {
  const at = join(home.dir, "skills", path);
  mkdirSync(dirname(at), { recursive: true });
  writeFileSync(at, text);
}

/** Skills that the agent made a long time ago, or lately. */
function made(one: World, names: readonly string[], at: number): void {
  const use = { created_by: "agent", created_at: at, uses: 1, views: 0, patches: 0, last_activity_at: at };
  const records = names.map((name) => [name, { ...use, state: "active", pinned: false }]);
  for (const name of names) put(one, `${name}/SKILL.md`, skillText(name, `Text of ${name}.`));
  put(one, ".usage.json", JSON.stringify({ skills: Object.fromEntries(records) }));
}

const skills = ({ home }: World) =>
  readdirSync(join(home.dir, "skills"))
    .filter((name) => !name.startsWith("."))
    .toSorted();

/** Skills that were active then are not unused. */
const LATER = Date.parse("2100-01-01T00:00:00Z");

const MERGE = JSON.stringify({
  proposals: [
    {
      action: "merge",
      from: ["deploy-web", "deploy-api"],
      into: "deploy",
      content: skillText("deploy", "Both."),
      why: "both deploy",
    },
  ],
});

test("C85: agent curator rollback --list lists the backups; --id nope ends with 1 and changes nothing", async (t) => {
  const one = await world(t);
  made(one, ["deploy"], LATER);
  const { id } = await one.json<SkillBackup>("curator", "backup", "--reason", "before the move");
  const before = readdirSync(join(one.home.dir, "skills", ".curator_backups"));
  const listed = await one.run(["curator", "rollback", "--list"]);
  assert.equal(listed.code, 0);
  assert.match(listed.out, new RegExp(`^${id}  2 files, 1 KB  before the move`));
  for (const more of [[], ["-y"], ["--json"]]) {
    const refused = await one.run(["curator", "rollback", "--id", "nope", ...more]);
    assert.equal(refused.code, 1);
    assert.match(refused.err + refused.out, /unknown backup/);
  }
  assert.equal((await one.run(["curator", "rollback"])).code, 2);
  assert.deepEqual(readdirSync(join(one.home.dir, "skills", ".curator_backups")), before);
  put(one, "deploy/SKILL.md", "changed");
  const done = await one.run(["curator", "rollback", "-y"]);
  assert.deepEqual([done.code, done.err], [0, ""]);
  assert.equal(
    readFileSync(join(one.home.dir, "skills/deploy/SKILL.md"), "utf8"),
    skillText("deploy", "Text of deploy."),
  );
});

test("agent curator run merges skills of the agent through the model of its slot, and undo brings them back", async (t) => {
  const one = await world(t, { model: { script: { replies: [], auxiliary: [{ text: MERGE }] } }, name: "any" });
  made(one, ["deploy-web", "deploy-api"], LATER);
  put(one, "mine/SKILL.md", skillText("mine", "By a person."));
  const dry = await one.json<CuratorRun>("curator", "run", "--dry-run");
  assert.deepEqual([dry.changes[0]?.status, skills(one)], ["proposed", ["deploy-api", "deploy-web", "mine"]]);
  const done = await one.json<CuratorRun>("curator", "run");
  assert.deepEqual([done.changes[0]?.status, done.changes[0]?.note], ["applied", ""]);
  assert.deepEqual(skills(one), ["deploy", "mine"]);
  const shown = await one.run(["curator", "show", `${done.id}:1`]);
  assert.match(shown.out, /\+Both\./);
  assert.equal((await one.run(["curator", "undo", done.id])).code, 0);
  assert.deepEqual(skills(one), ["deploy-api", "deploy-web", "mine"]);
  const status = await one.json<CuratorStatus>("curator", "status");
  assert.deepEqual([status.run_count, status.backups, status.last_report], [1, 1, done.id]);
  const again = await one.run(["curator", "undo", `${done.id}:1`]);
  assert.deepEqual([again.code, /it is undone/.test(again.err)], [1, true]);
});

test("agent curator run --background returns at once, with an owner that stays and without one", async (t) => {
  const one = await world(t);
  made(one, ["old"], 1_000);
  const begun = await one.run(["curator", "run", "--background"]);
  assert.deepEqual([begun.code, begun.err], [0, ""]);
  await eventually(() => existsSync(join(one.home.dir, "skills/.archive/old/SKILL.md")));
  await one.alone();
  const owner = await one.owner();
  assert.equal((await one.run(["curator", "run", "--background"])).code, 0);
  await eventually(() => readdirSync(join(one.home.dir, "logs/curator")).length === 2);
  await one.run(["owner", "stop"]);
  await owner.ended;
});

test("what the curator did by itself is reported as the next conversation begins, once", async (t) => {
  const one = await world(t);
  made(one, ["old"], 1_000);
  put(one, ".curator.json", JSON.stringify({ last_run_at: "2020-01-01T00:00:00.000Z" }));
  const owner = await one.owner();
  await eventually(() => existsSync(join(one.home.dir, "skills/.archive/old/SKILL.md")));
  await eventually(() => /"run_count": 1/.test(readFileSync(join(one.home.dir, "skills/.curator.json"), "utf8")));
  const first = await one.run(["-z", "hello"]);
  assert.match(first.err, /Curator: Done: 1 archived\./);
  const second = await one.run(["-z", "hello"]);
  assert.doesNotMatch(second.err, /Curator/);
  await one.run(["owner", "stop"]);
  await owner.ended;
});
