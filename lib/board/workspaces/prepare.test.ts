import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type BoardWorld, DEFAULT, setupBoard, USER } from "../../../fixtures/sim/board-world.js";
import { systemSpawner } from "../../base/process/spawn-system.js";
import type { TaskId } from "../../base/units.js";
import type { Actor } from "../../contracts/board/board.js";
import { cleanName, numberFileName } from "../tasks/attachment-files.js";

const env = { PATH: process.env["PATH"], HOME: "/nonexistent" };
const git = (cwd: string, ...args: string[]) =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd, encoding: "utf8", env }).trim();

function repository(world: BoardWorld): string {
  const repo = join(world.root, "repo");
  mkdirSync(repo);
  git(repo, "init", "-q", "-b", "main");
  writeFileSync(join(repo, "a.txt"), "a\n");
  git(repo, "add", ".");
  git(repo, "commit", "-q", "-m", "first");
  return repo;
}

const setup = (t: Parameters<typeof setupBoard>[0]) => setupBoard(t, { deps: { spawner: systemSpawner, env } });

async function claimed(world: BoardWorld, id: TaskId) {
  const outcome = await world.board.claim(DEFAULT, id, { profile: "default", lock: "h:1", by: USER });
  assert.ok(outcome.claimed);
  return outcome.claim;
}

test("a worktree task gets a branch of its own, excluded from the repository, and keeps it over attempts", async (t) => {
  const world = setup(t);
  const repo = repository(world);
  const given = { title: "Fix the Thing!", workspace_kind: "worktree", workspace_path: repo } as const;
  const { task } = await world.board.create(DEFAULT, given, USER);
  const first = await claimed(world, task.id);
  const made = await world.board.prepareWorkspace(DEFAULT, first);
  assert.equal(made.branch, `agent/${task.id}-fix-the-thing`);
  assert.equal(readFileSync(join(made.path, "a.txt"), "utf8"), "a\n");
  assert.equal(git(repo, "status", "--porcelain"), "", "the folder is excluded");
  await world.board.reclaim(DEFAULT, task.id, undefined, USER);
  const again = await world.board.prepareWorkspace(DEFAULT, await claimed(world, task.id));
  assert.deepEqual(again, made);
  const stored = await world.board.task(DEFAULT, task.id);
  assert.equal(stored.base_commit, git(repo, "rev-parse", "HEAD"));
  assert.equal(stored.workspace_path, made.path);
});

test("a child in the same repository begins at the branch of its only parent", async (t) => {
  const world = setup(t);
  const repo = repository(world);
  const given = { workspace_kind: "worktree", workspace_path: repo } as const;
  const { task: parent } = await world.board.create(DEFAULT, { title: "p", ...given }, USER);
  const place = await world.board.prepareWorkspace(DEFAULT, await claimed(world, parent.id));
  writeFileSync(join(place.path, "b.txt"), "b\n");
  git(place.path, "add", ".");
  git(place.path, "commit", "-q", "-m", "second");
  const { task: child } = await world.board.create(DEFAULT, { title: "c", parents: [parent.id], ...given }, USER);
  await world.board.complete(DEFAULT, parent.id, {}, USER);
  const below = await world.board.prepareWorkspace(DEFAULT, await claimed(world, child.id));
  assert.equal(existsSync(join(below.path, "b.txt")), true);
});

test("a worktree without a repository is refused when it is created, and a branch that is taken when it is started", async (t) => {
  const world = setup(t);
  const create = (more: object) =>
    world.board.create(DEFAULT, { title: "x", workspace_kind: "worktree", ...more }, USER);
  await assert.rejects(() => create({}), { code: "E_WORKSPACE" });
  await assert.rejects(() => create({ cwd: world.root }), { code: "E_WORKSPACE" });
  await assert.rejects(() => create({ workspace_path: join(world.root, "missing") }), { code: "E_WORKSPACE" });
  assert.deepEqual(await world.board.list(DEFAULT, {}), []);
  const { task } = await create({ cwd: repository(world), branch_name: "main" });
  const claim = await claimed(world, task.id);
  await assert.rejects(() => world.board.prepareWorkspace(DEFAULT, claim), { code: "E_WORKSPACE", message: /main/ });
});

test("declared files are kept before the task is done; those outside the workspace refuse the call", async (t) => {
  const world = setupBoard(t);
  const { task } = await world.board.create(DEFAULT, { title: "x" }, USER);
  const claim = await claimed(world, task.id);
  const { path } = await world.board.prepareWorkspace(DEFAULT, claim);
  const by: Actor = { kind: "worker", name: "default", claim };
  writeFileSync(join(path, "report.md"), "# report\n");
  writeFileSync(join(world.root, "secret"), "no\n");
  symlinkSync(join(world.root, "secret"), join(path, "link"));
  const outside = ["../../../secret", "link", "missing.txt", join(world.root, "secret"), "."];
  await assert.rejects(
    () => world.board.complete(DEFAULT, task.id, { summary: "s", artifacts: ["report.md", ...outside] }, by),
    {
      code: "E_INVALID",
      message: `not a file inside the workspace of ${task.id}: ${outside.join(", ")}`,
    },
  );
  assert.equal((await world.board.task(DEFAULT, task.id)).status, "running");
  await world.board.complete(DEFAULT, task.id, { summary: "s", artifacts: ["report.md", join(path, "report.md")] }, by);
  const view = await world.board.show(DEFAULT, task.id);
  assert.deepEqual(
    view.attachments.map((file) => [file.filename, file.size, file.content_type]),
    [
      ["report.md", 9, "text/markdown"],
      ["report (1).md", 9, "text/markdown"],
    ],
  );
  const kinds = view.events.map((event) => event.kind);
  assert.ok(kinds.indexOf("attached") < kinds.indexOf("completed"));
  assert.deepEqual(view.events.find((event) => event.kind === "completed")?.payload["artifacts"], [1, 2]);
  const kept = join(world.board.places(DEFAULT).attachments, view.attachments[0]?.stored_path ?? "");
  assert.equal(readFileSync(kept, "utf8"), "# report\n");
});

test("a file over the limit is left out with an event, and a lost claim leaves no copy behind", async (t) => {
  const world = setupBoard(t, { settings: { "kanban.attachment_max_bytes": 10 } });
  const { task } = await world.board.create(DEFAULT, { title: "x" }, USER);
  const claim = await claimed(world, task.id);
  const { path } = await world.board.prepareWorkspace(DEFAULT, claim);
  writeFileSync(join(path, "big"), "x".repeat(11));
  writeFileSync(join(path, "small"), "x");
  const late: Actor = { kind: "worker", name: "default", claim: { ...claim, token: "guessed" } };
  const handoff = { summary: "s", artifacts: ["big", "small"] };
  await assert.rejects(() => world.board.complete(DEFAULT, task.id, handoff, late), { code: "E_CLAIM_LOST" });
  const folder = join(world.board.places(DEFAULT).attachments, task.id);
  assert.equal(existsSync(join(folder, "small")), false);
  await world.board.complete(DEFAULT, task.id, handoff, { kind: "worker", name: "default", claim });
  const view = await world.board.show(DEFAULT, task.id);
  assert.deepEqual(
    view.attachments.map((file) => file.filename),
    ["small"],
  );
  assert.ok(view.events.some((event) => event.kind === "artifact_skipped"));
});

test("pausing a board now stops its workers and counts nothing", async (t) => {
  const world = setupBoard(t, { real: true });
  const { task } = await world.board.create(DEFAULT, { title: "x" }, USER);
  await claimed(world, task.id);
  await world.board.pause(DEFAULT, { reason: "r", now: true }, USER);
  const view = await world.board.show(DEFAULT, task.id);
  assert.deepEqual(
    [view.task.status, view.runs[0]?.end_reason, view.task.consecutive_failures],
    ["ready", "board_paused", 0],
  );
  assert.equal((await world.board.settings(DEFAULT)).paused, true);
});

test("names of kept files are harmless, and a taken one is numbered before its extension", () => {
  assert.equal(cleanName("/a/../.hidden\u0007.txt"), "hidden.txt");
  assert.equal(cleanName("/a/..."), "file");
  assert.equal(numberFileName("a.tar.gz", 2), "a (2).tar.gz");
  assert.equal(numberFileName("a.txt", 1), "a (1).txt");
  assert.equal(numberFileName("README", 1), "README (1)");
});
