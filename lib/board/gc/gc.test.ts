import assert from "node:assert/strict";
import { existsSync, mkdirSync, renameSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { DEFAULT, USER } from "../../../fixtures/sim/board-world.js";
import { commit, type GitWorld, git, gitWorld } from "../../../fixtures/worlds/repository.js";
import type { TaskId } from "../../base/units.js";
import { RETENTION } from "../../contracts/board/gc.js";

const DAY = 86_400_000;
const SCRATCH = { workspace_kind: "scratch", workspace_path: undefined } as const;

const look = ({ board }: GitWorld) => board.gc(DEFAULT, { dryRun: true, retention: RETENTION }, USER);
const clear = ({ board }: GitWorld) => board.gc(DEFAULT, { dryRun: false, retention: RETENTION }, USER);
const pathsOf = (list: readonly { readonly path: string }[]) => list.map((one) => one.path);

/** A scratch task that was worked on and archived so many days ago. */
async function archivedTask(
  world: GitWorld,
  more: Parameters<GitWorld["make"]>[0] = SCRATCH,
): Promise<{ id: TaskId; path: string }> {
  const id = await world.make(more);
  const path = await world.begin(id);
  writeFileSync(join(path, "result.txt"), "12345");
  await world.board.archive(DEFAULT, id, USER);
  return { id, path };
}

test("a preview names what would go with its size and changes nothing; the real run removes the same", async (t) => {
  const world = gitWorld(t);
  const { id, path } = await archivedTask(world);
  assert.deepEqual((await look(world)).workspaces, [], "too young");
  world.clock.advance(8 * DAY);
  const before = await world.board.eventsAfter(DEFAULT, 0, 1000);
  const preview = await look(world);
  assert.deepEqual(
    preview.workspaces.map((one) => [one.task_id, one.kind, one.path, one.size_bytes > 5]),
    [[id, "scratch", path, true]],
  );
  assert.ok(existsSync(join(path, "result.txt")));
  assert.deepEqual(await world.board.eventsAfter(DEFAULT, 0, 1000), before);
  assert.deepEqual((await clear(world)).workspaces, preview.workspaces);
  assert.equal(existsSync(path), false);
  assert.deepEqual((await clear(world)).workspaces, []);
  assert.equal((await world.board.show(DEFAULT, id)).runs.length, 1);
});

test("what is not archived, not marked, given, or a link stays", async (t) => {
  const world = gitWorld(t);
  const { root, board } = world;
  const done = await world.make(SCRATCH);
  const donePath = await world.begin(done);
  await board.complete(DEFAULT, done, {}, USER);
  const given = await archivedTask(world, { ...SCRATCH, workspace_path: join(root, "given") });
  const dir = await archivedTask(world, { workspace_kind: "dir", workspace_path: join(root, "dir") });
  const unmarked = await archivedTask(world);
  const linked = await archivedTask(world);
  writeFileSync(join(unmarked.path, ".agent-workspace"), JSON.stringify({ board: "other", task_id: unmarked.id }));
  const target = join(root, "target");
  mkdirSync(target);
  writeFileSync(join(target, ".agent-workspace"), JSON.stringify({ board: "default", task_id: linked.id }));
  renameSync(linked.path, join(root, "moved"));
  symlinkSync(target, linked.path);
  world.clock.advance(90 * DAY);
  const report = await clear(world);
  assert.deepEqual(report.workspaces, []);
  for (const path of [donePath, given.path, dir.path, unmarked.path, join(target, ".agent-workspace")])
    assert.ok(existsSync(path), path);
  assert.deepEqual(pathsOf(report.kept).sort(), [unmarked.path, linked.path].sort());
});

test("links inside a workspace are removed, what they lead to is not", async (t) => {
  const world = gitWorld(t);
  const { path } = await archivedTask(world);
  mkdirSync(join(world.root, "precious"));
  writeFileSync(join(world.root, "precious", "file"), "");
  symlinkSync(join(world.root, "precious"), join(path, "link"));
  world.clock.advance(8 * DAY);
  assert.equal((await clear(world)).workspaces.length, 1);
  assert.ok(existsSync(join(world.root, "precious", "file")));
});

test("a worktree that was kept at the archive goes once it is merged, and stays with the reason until then", async (t) => {
  const world = gitWorld(t);
  const id = await world.make();
  const path = await world.begin(id);
  commit(path, "b.txt", "b\n");
  await world.board.archive(DEFAULT, id, USER);
  world.clock.advance(8 * DAY);
  const first = await clear(world);
  assert.deepEqual([first.workspaces.length, first.kept.length], [0, 1]);
  assert.match(first.kept[0]?.reason ?? "", /not in main/);
  const branch = (await world.board.task(DEFAULT, id)).branch_name ?? "";
  git(world.repo, "merge", "-q", branch);
  const second = await clear(world);
  assert.deepEqual(
    second.workspaces.map((one) => [one.kind, one.path, one.branch]),
    [["worktree", path, branch]],
  );
  assert.deepEqual([existsSync(path), git(world.repo, "branch", "--list", branch)], [false, ""]);
});

test("old events of finished tasks go, and the newest of each task stays", async (t) => {
  const world = gitWorld(t);
  const { board, clock } = world;
  const open = await world.make(SCRATCH);
  const done = await world.make(SCRATCH);
  await board.comment(DEFAULT, done, "one", USER);
  await board.complete(DEFAULT, done, {}, USER);
  const kinds = async (id: TaskId) => (await board.show(DEFAULT, id)).events.map((event) => event.kind);
  const all = await kinds(done);
  clock.advance(29 * DAY);
  assert.equal((await clear(world)).events.count, 0);
  clock.advance(2 * DAY);
  const preview = await look(world);
  assert.deepEqual([preview.events.count, preview.events.size_bytes > 0], [all.length - 1, true]);
  assert.equal((await clear(world)).events.count, all.length - 1);
  assert.deepEqual([await kinds(done), await kinds(open)], [[all.at(-1)], ["created"]]);
  const view = await board.show(DEFAULT, done);
  assert.deepEqual([view.comments.length, view.runs.length], [1, 1]);
});

test("an event that is still to be told stays, and deliveries go once they are settled for long", async (t) => {
  const world = gitWorld(t);
  const { board, clock } = world;
  const done = await world.make(SCRATCH);
  await board.subscribe(
    DEFAULT,
    { task: done, platform: "msgt", chat_id: "5", kinds: ["commented", "completed"] },
    USER,
  );
  await board.comment(DEFAULT, done, "one", USER);
  await board.comment(DEFAULT, done, "two", USER);
  await board.complete(DEFAULT, done, {}, USER);
  const store = await world.store();
  await store.write("test", async (tx) => {
    await tx.run("UPDATE deliveries SET state = 'sent' WHERE event_id = (SELECT max(event_id) FROM deliveries)", []);
  });
  clock.advance(31 * DAY);
  const report = await clear(world);
  assert.equal(report.deliveries, 1);
  const kinds = (await board.show(DEFAULT, done)).events.map((event) => event.kind);
  assert.deepEqual(kinds, ["commented", "commented", "completed"]);
});

test("logs go by their last change, unless their task runs; files of closed runs go, those of open ones stay", async (t) => {
  const world = gitWorld(t);
  const { board } = world;
  const { logs, runs, log, claim } = board.places(DEFAULT);
  const old = await world.make(SCRATCH);
  const young = await world.make(SCRATCH);
  const running = await world.make(SCRATCH);
  await world.begin(running);
  for (const dir of [logs, runs]) mkdirSync(dir, { recursive: true });
  const at = world.clock.now() / 1000;
  const write = (path: string, seconds: number) => {
    writeFileSync(path, "line\n");
    utimesSync(path, seconds, seconds);
    return path;
  };
  const gone = [write(log(old), at), write(`${log(old)}.1`, at)];
  const stays = [write(log(running), at), write(log(young), at + 40 * 86_400), write(join(logs, "notes.log"), at)];
  const run = (await board.task(DEFAULT, running)).current_run_id ?? 0;
  const files = [write(claim(running, run), at), write(join(runs, `${running}.${run}.worker`), at)];
  const closed = [write(claim(old, 99), at), write(join(runs, `${old}.99.exit`), at)];
  world.clock.advance(31 * DAY);
  const report = await clear(world);
  assert.deepEqual([pathsOf(report.logs), pathsOf(report.run_files)], [gone, closed]);
  for (const path of [...gone, ...closed]) assert.equal(existsSync(path), false, path);
  for (const path of [...stays, ...files]) assert.ok(existsSync(path), path);
});

test("a directory that a deleted task has left is found by its mark; one of a task that no one deleted is not touched", async (t) => {
  const world = gitWorld(t);
  const { board } = world;
  const { id, path } = await archivedTask(world);
  await board.remove(DEFAULT, id, {}, USER);
  assert.equal(existsSync(path), false);
  const stranger = join(dirname(path), "t_deadbeef");
  for (const [dir, task_id] of [
    [path, id],
    [stranger, "t_deadbeef"],
  ] as const) {
    mkdirSync(dir);
    writeFileSync(join(dir, ".agent-workspace"), JSON.stringify({ board: "default", task_id }));
  }
  assert.deepEqual(pathsOf((await clear(world)).workspaces), [path]);
  assert.deepEqual([existsSync(path), existsSync(stranger)], [false, true]);
});

test("a board that was never written has nothing to clear, and stays unwritten", async (t) => {
  const world = gitWorld(t);
  const report = await clear(world);
  assert.deepEqual([report.workspaces, report.size_bytes, existsSync(join(world.root, "kanban.db"))], [[], 0, false]);
});

test("a workspace of a task that is taken up between the look and the removal stays", async (t) => {
  const world = gitWorld(t);
  const { id, path } = await archivedTask(world);
  world.clock.advance(8 * DAY);
  // The unarchive is asked for while gc looks; whichever comes first, the files of a task that is not archived stay.
  const [report] = await Promise.all([clear(world), world.board.unarchive(DEFAULT, id, {}, USER)]);
  assert.equal(existsSync(path), report.workspaces.length === 0);
});
