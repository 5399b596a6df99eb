import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { DEFAULT, USER } from "../../../fixtures/sim/board-world.js";
import { gitWorld } from "../../../fixtures/worlds/repository.js";
import { removeTree } from "../../base/fs/tree.js";
import { isMarked } from "../../base/fs/workspace-files.js";

const SCRATCH = { workspace_kind: "scratch", workspace_path: undefined } as const;
const markOf = (path: string) => JSON.parse(readFileSync(join(path, ".agent-workspace"), "utf8"));

test("a scratch directory lies in the workspaces root and carries its mark", async (t) => {
  const { root, clock, make, begin, again } = gitWorld(t);
  const id = await make(SCRATCH);
  const path = await begin(id);
  assert.equal(path, join(root, "kanban", "workspaces", id));
  assert.deepEqual(markOf(path), { board: "default", task_id: id, created_at: clock.now() / 1000 });
  writeFileSync(join(path, "kept"), "");
  assert.equal(await again(id), path);
  assert.ok(existsSync(join(path, "kept")));
});

test("another root for scratch directories is used when the environment names one", async (t) => {
  const elsewhere = join("/tmp", `elsewhere-${process.pid}`);
  t.after(() => rmSync(elsewhere, { recursive: true, force: true }));
  const { make, begin } = gitWorld(t, { deps: { env: { AGENT_KANBAN_WORKSPACES_ROOT: elsewhere } } });
  const id = await make(SCRATCH);
  assert.equal(await begin(id), join(elsewhere, id));
});

test("the first scratch task of an installation is told where its files go, and no other", async (t) => {
  const { board, make, begin } = gitWorld(t);
  const tips = async (...ids: Parameters<typeof begin>[0][]) => {
    const views = await Promise.all(ids.map((id) => board.show(DEFAULT, id)));
    return views.map((view) => view.events.filter((event) => event.kind === "tip_scratch_workspace"));
  };
  const first = await make(SCRATCH);
  const second = await make(SCRATCH);
  const path = await begin(first);
  await begin(second);
  const [told, untold] = await tips(first, second);
  assert.deepEqual([told?.length, untold?.length], [1, 0]);
  assert.match(String(told?.[0]?.payload["message"]), new RegExp(path));
});

test("a directory that someone filled before is used, and never marked for removal", async (t) => {
  const { root, make, begin } = gitWorld(t);
  const given = join(root, "mine");
  mkdirSync(given);
  writeFileSync(join(given, "thesis"), "");
  await begin(await make({ ...SCRATCH, workspace_path: given }));
  assert.equal(existsSync(join(given, ".agent-workspace")), false);
});

test("a mark that was cut short by a crash is made again", async (t) => {
  const { board, make, begin } = gitWorld(t);
  const id = await make(SCRATCH);
  const path = board.places(DEFAULT).scratch(id);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, "..agent-workspace.123-1.tmp"), "{");
  await begin(id);
  assert.equal(await isMarked(path, { board: "default", task_id: id }), true);
});

test("the workspace of another task, or a link in its place, is not taken", async (t) => {
  const { board, root, make, begin } = gitWorld(t);
  const one = await make(SCRATCH);
  const two = await make(SCRATCH);
  const three = await make(SCRATCH);
  const path = await begin(one);
  const { scratch } = board.places(DEFAULT);
  mkdirSync(scratch(two));
  writeFileSync(join(scratch(two), ".agent-workspace"), readFileSync(join(path, ".agent-workspace")));
  await assert.rejects(() => begin(two), { code: "E_WORKSPACE", message: /of another task/ });
  symlinkSync(root, scratch(three));
  await assert.rejects(() => begin(three), { code: "E_WORKSPACE", message: /not a directory/ });
});

test("a dir task without a path needs a board that has one", async (t) => {
  const { board, make } = gitWorld(t);
  await assert.rejects(() => make({ workspace_kind: "dir", workspace_path: undefined }), { code: "E_WORKSPACE" });
  assert.deepEqual(await board.list(DEFAULT, {}), []);
});

test("completing and archiving a task leave its directory as it is", async (t) => {
  const { board, make, begin } = gitWorld(t);
  const id = await make(SCRATCH);
  const path = await begin(id);
  writeFileSync(join(path, "result"), "");
  await board.complete(DEFAULT, id, { summary: "s" }, USER);
  await board.archive(DEFAULT, id, USER);
  assert.ok(existsSync(join(path, "result")));
});

test("removing a directory takes links away without following them, and opens what no one may write", async (t) => {
  const { root } = gitWorld(t);
  const path = join(root, "tree");
  const outside = join(root, "outside");
  mkdirSync(join(path, "shut", "inner"), { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(outside, "precious"), "");
  writeFileSync(join(path, "shut", "inner", "file"), "");
  symlinkSync(outside, join(path, "shut", "link"));
  symlinkSync("/nowhere", join(path, "broken"));
  chmodSync(join(path, "shut", "inner"), 0o500);
  chmodSync(join(path, "shut"), 0o500);
  await removeTree(path);
  await removeTree(path);
  assert.deepEqual([existsSync(path), existsSync(join(outside, "precious"))], [false, true]);
});
