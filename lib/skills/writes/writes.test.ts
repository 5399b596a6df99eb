import assert from "node:assert/strict";
import { test } from "node:test";
import { skillHome, skillText } from "../../../fixtures/sim/skill-home.js";
import { AppError } from "../../base/errors.js";
import type { SkillEdit } from "../../contracts/skills/writes.js";

const AGENT = { who: "agent" } as const;
const USER = { who: "user" } as const;

const code = (wanted: string, message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof AppError, String(error));
  assert.equal(error.code, wanted, error.message);
  assert.match(`${error.message} | ${error.hint}`, message);
  return true;
};

test("a skill is made, changed and removed; each version is undone byte for byte", async (t) => {
  const { writes, read, tree, put } = skillHome(t);
  put("other/SKILL.md", skillText("other"));
  const first = tree();
  const states = [first];
  const versions: string[] = [];
  const change = async (given: SkillEdit) => {
    const { version } = await writes.apply(await writes.plan(given, AGENT), AGENT);
    versions.push(version);
    states.push(tree());
  };
  await change({ action: "create", name: "deploy", category: "ops/web", content: skillText("deploy", "Run make.") });
  await change({ action: "patch", name: "deploy", old_string: "Run make.", new_string: "Run make all." });
  await change({ action: "write_file", name: "deploy", file_path: "scripts/run.sh", file_content: "#!/bin/sh\n" });
  await change({
    action: "patch",
    name: "deploy",
    file_path: "scripts/run.sh",
    old_string: "/sh",
    new_string: "/bash",
  });
  await change({ action: "edit", name: "deploy", content: skillText("deploy", "Run it.") });
  await change({ action: "remove_file", name: "deploy", file_path: "scripts/run.sh" });
  await change({ action: "delete", name: "deploy" });
  assert.deepEqual(
    versions,
    [1, 2, 3, 4, 5, 6, 7].map((n) => `deploy@${n}`),
  );
  assert.equal(read("ops/web/deploy/SKILL.md"), undefined);
  for (const version of versions.toReversed()) {
    states.pop();
    await writes.undo(version, USER);
    assert.deepEqual(tree(), states.at(-1), version);
  }
  const kept = await writes.versions("deploy");
  assert.equal(kept.length, 14);
  assert.equal(kept[0]?.undoes, "deploy@1");
});

test("a plan shows the difference, and nothing is written before it is applied", async (t) => {
  const { writes, put, read } = skillHome(t);
  put("deploy/SKILL.md", skillText("deploy", "Run make."));
  const plan = await writes.plan(
    { action: "patch", name: "deploy", old_string: "make", new_string: "make all" },
    AGENT,
  );
  assert.match(plan.diff, /^--- a\/deploy\/SKILL.md\n\+\+\+ b\/deploy\/SKILL.md\n@@/);
  assert.match(plan.diff, /\n-Run make.\n\+Run make all.$/);
  assert.equal(read("deploy/SKILL.md"), skillText("deploy", "Run make."));
  const { version } = await writes.apply(plan, AGENT);
  assert.equal(await writes.diff(version), plan.diff);
});

test("what a person edits between plan and apply is a conflict, and nothing is written", async (t) => {
  const { writes, put, read, tree } = skillHome(t);
  put("deploy/SKILL.md", skillText("deploy", "Run make."));
  put("old/SKILL.md", skillText("old"));
  const plan = await writes.plan(
    [
      { action: "write_file", name: "deploy", file_path: "references/old.md", file_content: "old\n" },
      { action: "patch", name: "deploy", old_string: "make", new_string: "make all" },
      { action: "archive", name: "old", absorbed_into: "deploy" },
    ],
    USER,
  );
  put("deploy/SKILL.md", skillText("deploy", "Run make, says a person."));
  const before = tree();
  await assert.rejects(writes.apply(plan, USER), code("E_CONFLICT", /skills\/deploy\/SKILL.md has changed/));
  assert.deepEqual(tree(), before);
  assert.equal((await writes.versions("deploy")).length, 0);
  put("deploy/SKILL.md", skillText("deploy", "Run make."));
  put("old/notes.md", "a person's");
  await assert.rejects(writes.apply(plan, USER), code("E_CONFLICT", /skills\/old has changed/));
  assert.match(read("deploy/SKILL.md") ?? "", /Run make\./);
});

test("several changes are one version: a skill that is absorbed comes back with the other's text", async (t) => {
  const { writes, put, read, tree } = skillHome(t);
  put("deploy/SKILL.md", skillText("deploy", "Run make."));
  put("ops/old/SKILL.md", skillText("old"));
  put("ops/old/references/a.bin", "\0\x01");
  const before = tree();
  const plan = await writes.plan(
    [
      { action: "patch", name: "deploy", old_string: "make", new_string: "make all" },
      { action: "archive", name: "old", absorbed_into: "deploy" },
    ],
    USER,
  );
  const { version } = await writes.apply(plan, USER);
  assert.equal(read("ops/old/SKILL.md"), undefined);
  assert.equal(read(".archive/ops/old/SKILL.md"), skillText("old"));
  assert.deepEqual(
    (await writes.versions("old")).map(({ id }) => id),
    [version],
  );
  await writes.undo(version, USER);
  assert.deepEqual(tree(), before);
});

test("an archived skill is restored; an older one of the same name in the archive is kept", async (t) => {
  const { writes, put, read, usage } = skillHome(t);
  for (const text of ["first", "second"]) {
    put("old/SKILL.md", skillText("old", text));
    await writes.apply(await writes.plan({ action: "archive", name: "old" }, USER), USER);
  }
  assert.equal(usage.of("old").state, "archived");
  assert.equal(read(".archive/old/SKILL.md"), skillText("old", "second"));
  await writes.apply(await writes.plan({ action: "restore", name: "old" }, USER), USER);
  assert.equal(read("old/SKILL.md"), skillText("old", "second"));
  assert.equal(usage.of("old").state, "active");
  for (const number of [3, 2]) await writes.undo(`old@${number}`, USER);
  assert.equal(read("old/SKILL.md"), skillText("old", "second"));
  assert.equal(read(".archive/old/SKILL.md"), skillText("old", "first"));
  await assert.rejects(writes.undo("old@1", USER), code("E_CONFLICT", /skills\/old is there already/));
});

test("what was changed after a version stops its undo, and the error says what to undo first", async (t) => {
  const { writes } = skillHome(t);
  const apply = async (change: SkillEdit) => writes.apply(await writes.plan(change, AGENT), AGENT);
  await apply({ action: "create", name: "deploy", content: skillText("deploy", "one") });
  await apply({ action: "patch", name: "deploy", old_string: "one", new_string: "two" });
  await assert.rejects(writes.undo("deploy@1", USER), code("E_CONFLICT", /undo deploy@2 first/));
  await writes.undo("deploy@2", USER);
  await assert.rejects(writes.undo("deploy@2", USER), code("E_CONFLICT", /deploy@2 was undone by deploy@3/));
  await assert.rejects(writes.undo("deploy@9", USER), code("E_NOT_FOUND", /no version deploy@9 .* 3, 2, 1/));
  await assert.rejects(writes.undo("../x@1", USER), code("E_INVALID", /not a valid name/));
  await assert.rejects(writes.undo("deploy", USER), code("E_INVALID", /NAME@NUMBER/));
});
