import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setupRest } from "../../../../fixtures/dashboard/rest.js";
import { DEFAULT, USER } from "../../../../fixtures/sim/board-world.js";
import { GIT_ENV, repositoryAt } from "../../../../fixtures/worlds/repository.js";
import { systemSpawner } from "../../../base/process/spawn-system.js";

interface Diff {
  readonly task_id: string;
  readonly diff: string;
  readonly truncated: boolean;
}

test("the changes of a worktree are told as git tells them, new files too, and not without end", async (t) => {
  const { world, ask } = await setupRest(t, { deps: { spawner: systemSpawner, env: GIT_ENV } });
  const workspace_path = repositoryAt(join(world.root, "repo"));
  const { task } = await world.board.create(
    DEFAULT,
    { title: "one", workspace_kind: "worktree", workspace_path },
    USER,
  );
  const { workspace } = await world.board.claimOutside(DEFAULT, task.id, {}, USER);
  writeFileSync(join(workspace, "a.txt"), "b\n");
  writeFileSync(join(workspace, "new.txt"), "new\n");
  const { status, json } = await ask<Diff>("GET", `/tasks/${task.id}/diff`);
  assert.deepEqual([status, json.task_id, json.truncated], [200, task.id, false]);
  assert.match(json.diff, /^-a\n\+b\n[\s\S]*^\+new\n/m);
  writeFileSync(join(workspace, "long.txt"), "a line of a long file\n".repeat(100_000));
  const long = await ask<Diff>("GET", `/tasks/${task.id}/diff`);
  assert.deepEqual([long.status, long.json.diff.length, long.json.truncated], [200, 1 << 20, true]);
});

test("a task without a worktree has no changes to show, and an unknown one neither", async (t) => {
  const { world, ask } = await setupRest(t);
  const { task } = await world.board.create(DEFAULT, { title: "one" }, USER);
  const refused = async (id: string) => {
    const { status, json } = await ask("GET", `/tasks/${id}/diff`);
    return [status, json.code];
  };
  assert.deepEqual(await refused(task.id), [400, "E_WORKSPACE"]);
  assert.deepEqual(await refused("t_00000000"), [404, "E_NOT_FOUND"]);
});
