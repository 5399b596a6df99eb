import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { kanbanWorld } from "../../../fixtures/e2e/kanban.js";
import type { Run, Task } from "../../contracts/board/board.js";

interface Why {
  readonly reasons: readonly { readonly code: string }[];
}

/** A child that waits for its parent. */
async function pair(t: TestContext) {
  const world = await kanbanWorld(t);
  const A = await world.make("A");
  const B = await world.make("B", "--parent", A);
  const status = async (id: string) => (await world.show(id)).task.status;
  const why = async (id: string) => (await world.J<Why>("why", id)).reasons.map((reason) => reason.code);
  return { ...world, A, B, status, why };
}

test("a task that waits for its parent cannot be claimed (check 18)", async (t) => {
  const { K, B } = await pair(t);
  const { code, out, err } = await K("claim", B);
  assert.deepEqual([code, out, err.split("\n")[0]], [1, "", `kanban: cannot claim ${B}: status=todo lock=(none)`]);
});

test("a parent that no one claimed hands over what it was completed with (checks 19 and 20)", async (t) => {
  const { K, J, A, B, show } = await pair(t);
  await K("complete", A, "--summary", "did a", "--metadata", '{"n":1}');
  const { task, events } = await show(B);
  assert.deepEqual([(await show(A)).task.status, task.status], ["done", "ready"]);
  assert.equal(events.filter((event) => event.kind === "promoted").length, 1);
  const runs = await J<Run[]>("runs", A);
  const [run] = runs;
  assert.deepEqual(
    [runs.length, run?.outcome, run?.metadata, run?.ended_at],
    [1, "completed", { n: 1 }, run?.started_at],
  );
  const { out } = await K("context", B);
  for (const part of ["## Parent task results", `### ${A}`, "did a", '_metadata_: `{"n": 1}`'])
    assert.ok(out.includes(part), `${part} in ${out}`);
});

test("a child is free when its last link is removed, and a link that is not there is told (check 21)", async (t) => {
  const { K, A, B, status } = await pair(t);
  assert.deepEqual((await K("unlink", A, B)).out, `Unlinked ${A} -> ${B}\n`);
  assert.equal(await status(B), "ready");
  const again = await K("unlink", A, B);
  assert.equal(again.code, 1);
  assert.match(again.err, /^kanban: No such link/);
});

test("a child waits for both of its parents and for nothing else (check 22)", async (t) => {
  const { K, make, A, status } = await pair(t);
  const other = await make("other");
  const child = await make("child", "--parent", A, "--parent", other);
  await K("complete", A);
  assert.equal(await status(child), "todo");
  await K("complete", other);
  assert.equal(await status(child), "ready");
});

test("archiving a parent says how many children it releases, and releases them (check 23)", async (t) => {
  const { K, A, B, status } = await pair(t);
  assert.equal((await K("archive", A)).out, `Archived ${A} (1 waiting child released)\n`);
  assert.equal(await status(B), "ready");
});

test("a rejected parent holds its child until the verdict is changed (check 24)", async (t) => {
  const { K, A, B, status, why } = await pair(t);
  await K("complete", A, "--outcome", "rejected");
  assert.equal(await status(B), "todo");
  assert.ok((await why(B)).includes("parent_rejected"));
  assert.equal((await K("edit", A, "--outcome", "accepted")).out, `Edited ${A}: verdict\n`);
  assert.equal(await status(B), "ready");
});

test("a reopened parent takes its ready child back (check 25)", async (t) => {
  const { K, A, B, show, status } = await pair(t);
  await K("complete", A);
  const { out } = await K("reopen", A);
  assert.match(out, new RegExp(`^Reopened ${A} -> ready\n.*${B}`));
  assert.deepEqual([await status(A), await status(B)], ["ready", "todo"]);
  const event = (await show(B)).events.at(-1);
  assert.deepEqual([event?.kind, event?.payload["reason"]], ["status", "parent_reopened"]);
});

test("a child of a blocked parent says so in the list and by why (check 26)", async (t) => {
  const { K, A, B, why } = await pair(t);
  await K("block", A, "x");
  const line = (await K("list")).out.split("\n").find((one) => one.includes(B));
  assert.match(line ?? "", /parent blocked/);
  assert.ok((await why(B)).includes("parent_blocked"));
});

test("a gate on a waiting task holds although its parent is done (check 40)", async (t) => {
  const { K, A, B, status } = await pair(t);
  await K("block", B, "gate");
  await K("complete", A);
  assert.equal(await status(B), "blocked");
});

test("a parent may be given and taken while nothing runs, but not in a circle (links)", async (t) => {
  const { K, J, A, B, status } = await pair(t);
  const circle = await K("link", B, A);
  assert.deepEqual([circle.code, circle.err.split("\n")[0]], [1, `kanban: linking ${B} -> ${A} would create a cycle`]);
  await K("unlink", A, B);
  const linked = await J<{ ok: boolean; task: Task; parent_id: string; child_id: string }>("link", A, B);
  assert.deepEqual([linked.ok, linked.parent_id, linked.child_id, linked.task.status], [true, A, B, "todo"]);
  assert.equal(await status(A), "ready");
});
