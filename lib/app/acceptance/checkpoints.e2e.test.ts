import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { eventually } from "../../../fixtures/e2e/eventually.js";
import { type World, world } from "../../../fixtures/e2e/world.js";
import { proves } from "../../../fixtures/requirements.js";
import type { Reply } from "../../../fixtures/servers/model/script.js";
import { digestOf } from "../../../fixtures/sim/checkpoint-world.js";
import { systemSpawner } from "../../base/process/spawn-system.js";
import type { CheckpointRow, CheckpointStatus, RestoreReport } from "../../contracts/owner/checkpoints.js";

const call = (name: string, args: Readonly<Record<string, unknown>>): Reply => ({
  tool_calls: [{ name, arguments: args }],
});

const setup = (t: TestContext, replies: readonly Reply[], faults = false): Promise<World> =>
  world(t, {
    model: { script: { pick: "history", replies } },
    name: "m",
    faults,
    config: "checkpoints: { enabled: true }\n",
  });

const put = ({ work }: World, path: string, content: string): void => {
  mkdirSync(join(work, path, ".."), { recursive: true });
  writeFileSync(join(work, path), content);
};

test("C82: with checkpoints on a written file comes back with its bytes and mode, and the directory is listed", async (t) => {
  proves(t, "keep.checkpoints", "cli.checkpoints", "config.checkpoints.enabled");
  const made = await world(t, {
    model: {
      script: { pick: "history", replies: [call("write_file", { path: "a.txt", content: "new\n" }), { text: "ok" }] },
    },
    name: "m",
  });
  put(made, "a.txt", "old\n");
  chmodSync(join(made.work, "a.txt"), 0o640);
  assert.deepEqual((await made.json<CheckpointStatus>("checkpoints", "status")).enabled, false);
  const turn = await made.run(["--checkpoints", "-z", "do it"]);
  assert.deepEqual([turn.code, turn.out], [0, "ok\n"]);
  assert.equal(readFileSync(join(made.work, "a.txt"), "utf8"), "new\n");
  const list = await made.run(["-z", "/rollback"]);
  assert.match(list.out, /^1\. [0-9a-f]{8} \d{4}-\d\d-\d\d \d\d:\d\d:\d\d before write_file \(1 file, \+1\/-1\)$/m);
  assert.doesNotMatch(list.out, /^2\./m);
  assert.match(`${list.out}${list.err}`, /checkpoints are off/);
  const kept = await made.run(["--checkpoints", "-z", "/rollback"]);
  assert.doesNotMatch(`${kept.out}${kept.err}`, /checkpoints are off/);
  const diff = await made.run(["-z", "/rollback diff 1"]);
  assert.match(diff.out, /^-new\n\+old/m);
  const back = await made.run(["-z", "/rollback 1"]);
  assert.equal(back.code, 0, back.err);
  assert.equal(readFileSync(join(made.work, "a.txt"), "utf8"), "old\n");
  assert.equal(statSync(join(made.work, "a.txt")).mode & 0o777, 0o640);
  const rows = await made.json<CheckpointRow[]>("checkpoints", "list");
  assert.deepEqual([...new Set(rows.map(({ directory }) => directory))], [made.work]);
  assert.equal((await made.run(["checkpoints", "list", made.work])).out.split("\n")[0], made.work);
  const cleared = await made.run(["checkpoints", "clear"]);
  assert.equal(cleared.code, 2);
  assert.equal((await made.run(["checkpoints", "clear", "-f"])).code, 0);
  assert.equal(
    (await made.run(["checkpoints", "clear"])).code,
    0,
    "nothing is left that somebody would have to confirm",
  );
  assert.deepEqual(await made.json<CheckpointRow[]>("checkpoints", "list"), []);
});

const git = (made: World, ...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=n", "-c", "user.email=e@x", ...args], {
    cwd: made.work,
    env: made.env,
    encoding: "utf8",
  });

test("a rollback leaves git as it is: index, branches, a second worktree and stashes, byte for byte", async (t) => {
  const made = await setup(t, [
    call("terminal", {
      command:
        "echo two > tracked.txt && echo x > made.txt && rm gone.txt && git add -A && git rm -q --cached other.txt",
    }),
    { text: "ok" },
  ]);
  git(made, "init", "-q", "-b", "main");
  for (const path of ["tracked.txt", "gone.txt", "other.txt", "staged.txt"]) put(made, path, "one\n");
  git(made, "add", "-A");
  git(made, "commit", "-q", "-m", "one");
  git(made, "worktree", "add", "-q", "../second", "-b", "side");
  put(made, "staged.txt", "staged\n");
  git(made, "add", "staged.txt");
  put(made, "other.txt", "not staged\n");
  const isGit = (path: string) => path === ".git";
  const before = digestOf(made.work, isGit);
  const turn = await made.run(["--yolo", "-z", "do it"]);
  assert.equal(turn.code, 0, turn.err);
  assert.notDeepEqual(digestOf(made.work, isGit), before);
  const state = digestOf(join(made.work, ".git"));
  const second = digestOf(join(made.work, "../second"));
  const back = await made.run(["-z", "/rollback 1"]);
  assert.equal(back.code, 0, back.err);
  assert.deepEqual(digestOf(made.work, isGit), before);
  assert.deepEqual(digestOf(join(made.work, ".git")), state);
  assert.deepEqual(digestOf(join(made.work, "../second")), second);
  assert.match(git(made, "status", "--porcelain"), /A {2}made\.txt|AD made\.txt/);
});

test("what a board worker changed in a directory can be rolled back", async (t) => {
  const made = await setup(t, [
    call("write_file", { path: "a.txt", content: "worker\n" }),
    call("terminal", { command: "echo more > b.txt" }),
    call("kanban_complete", { summary: "done" }),
    { text: "ok" },
  ]);
  put(made, "a.txt", "mine\n");
  await made.owner();
  const { id } = await made.json<{ id: string }>(
    "kanban",
    "create",
    "one",
    "--assignee",
    "default",
    "--workspace",
    `dir:${made.work}`,
  );
  const { task, events } = await made.settled(id);
  assert.equal(task.status, "done");
  // Its task is done before its turn, which keeps the state that it left and refuses a rollback until then.
  const worker = Number(events.find(({ kind }) => kind === "spawned")?.payload["pid"]);
  assert.ok(worker > 0);
  await eventually(() => systemSpawner.members(worker).length === 0);
  assert.equal(readFileSync(join(made.work, "a.txt"), "utf8"), "worker\n");
  const rows = await made.json<CheckpointRow[]>("checkpoints", "list", made.work);
  assert.ok(
    rows.some(({ reason }) => reason.startsWith("before write_file")),
    JSON.stringify(rows),
  );
  const oldest = rows.at(-1)?.id ?? "";
  const report = await made.json<RestoreReport>("checkpoints", "restore", oldest, "-y");
  assert.deepEqual([report.restored, report.skipped, report.failed], [["a.txt"], [], []]);
  assert.equal(readFileSync(join(made.work, "a.txt"), "utf8"), "mine\n");
});

const TAKING = ["checkpoint.contents-written", "checkpoint.manifest-there", "checkpoint.there"];

for (const point of TAKING) {
  test(`an owner killed at ${point} has changed nothing yet, and the next turn has its checkpoint`, async (t) => {
    const made = await setup(t, [call("write_file", { path: "a.txt", content: "new\n" }), { text: "ok" }], true);
    put(made, "a.txt", "old\n");
    const doomed = await made.run(["-z", "do it"], { env: { AGENT_FAULT: `${point}:1` } });
    assert.notEqual(doomed.code, 0);
    assert.equal(readFileSync(join(made.work, "a.txt"), "utf8"), "old\n");
    assert.equal((await made.json<CheckpointStatus>("checkpoints", "status")).damaged, 0);
    assert.equal((await made.run(["-z", "do it"])).code, 0);
    assert.equal((await made.run(["-z", "/rollback 1"])).code, 0);
    assert.equal(readFileSync(join(made.work, "a.txt"), "utf8"), "old\n");
  });
}

test("a rollback that is killed in the middle leaves every file whole, and the next one completes it", async (t) => {
  const files = Array.from({ length: 6 }, (_, n) => `f${n}.txt`);
  const made = await setup(
    t,
    [call("terminal", { command: "for f in f*.txt; do echo new > $f; done" }), { text: "ok" }],
    true,
  );
  for (const file of files) put(made, file, "old\n");
  assert.equal((await made.run(["--yolo", "-z", "do it"])).code, 0);
  const [row] = (await made.json<CheckpointRow[]>("checkpoints", "list")).filter(({ n }) => n === 1);
  const doomed = await made.run(["checkpoints", "restore", row?.id ?? "", "-y"], {
    env: { AGENT_FAULT: "rollback.file-done:3" },
  });
  assert.notEqual(doomed.code, 0);
  const texts = files.map((file) => readFileSync(join(made.work, file), "utf8"));
  assert.equal(texts.filter((text) => text === "old\n").length, 3);
  assert.equal(texts.filter((text) => text === "new\n").length, 3);
  const report = await made.json<RestoreReport>("checkpoints", "restore", row?.id ?? "", "-y");
  assert.deepEqual([report.restored.length, report.skipped, report.failed], [3, [], []]);
  assert.ok(files.every((file) => readFileSync(join(made.work, file), "utf8") === "old\n"));
});
