import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { kanbanWorld } from "../../../fixtures/e2e/kanban.js";
import type { Task } from "../../contracts/board/board.js";

interface Results {
  readonly results: readonly { readonly task_id: string; readonly ok: boolean; readonly status: string | null }[];
}

/** One ready task. */
async function one(t: TestContext) {
  const world = await kanbanWorld(t);
  const id = await world.make("B");
  const comments = async () => (await world.show(id)).comments.map((comment) => comment.text);
  const status = async (of = id) => (await world.show(of)).task.status;
  return { ...world, id, comments, status };
}

test("a claim makes the workspace and is taken once (check 27)", async (t) => {
  const { K, id, places } = await one(t);
  const path = join(places.workspaces, id);
  assert.equal((await K("claim", id)).out, `Claimed ${id}\nWorkspace: ${path}\n`);
  const mark = JSON.parse(readFileSync(join(path, ".agent-workspace"), "utf8"));
  assert.deepEqual([mark.board, mark.task_id], ["default", id]);
  const again = await K("claim", id);
  assert.equal(again.code, 1);
  assert.match(again.err, new RegExp(`^kanban: cannot claim ${id}: status=running lock=\\S+:\\d+\n`));
});

test("a running task keeps its assignee (check 28)", async (t) => {
  const { K, id } = await one(t);
  await K("claim", id);
  const { code, err } = await K("assign", id, "bob");
  assert.equal(code, 1);
  assert.match(err, /currently running/);
});

test("a heartbeat extends the lease and keeps its note, and a done task has none (check 29)", async (t) => {
  const { K, J, id, show } = await one(t);
  const { claim_expires: before } = await J<{ claim_expires: number }>("claim", id, "--ttl", "60");
  const beat = await K("heartbeat", id, "--note", "hi");
  assert.deepEqual([beat.code, beat.out], [0, `Heartbeat recorded for ${id}\n`]);
  const { task, events } = await show(id);
  assert.ok((task.claim_expires ?? 0) > before);
  const event = events.findLast((found) => found.kind === "heartbeat");
  assert.deepEqual(event?.payload, { note: "hi" });
  await K("complete", id);
  assert.equal((await K("heartbeat", id)).code, 1);
});

test("blocking a running task keeps the reason everywhere it is looked for, and unblocking works once (checks 30 and 31)", async (t) => {
  const { K, id, show, comments } = await one(t);
  await K("claim", id);
  assert.equal((await K("block", id, "need", "input")).out, `Blocked ${id}: need input\n`);
  const { task, events, runs } = await show(id);
  assert.deepEqual([task.status, task.block_kind, task.block_reason], ["blocked", "human", "need input"]);
  assert.deepEqual(await comments(), ["BLOCKED: need input"]);
  assert.equal(events.findLast((event) => event.kind === "blocked")?.payload["reason"], "need input");
  assert.equal(runs[0]?.outcome, "blocked");
  assert.equal((await K("unblock", id)).out, `Unblocked ${id} -> ready\n`);
  const again = await K("unblock", id);
  assert.equal(again.code, 1);
  assert.match(again.err, new RegExp(`^kanban: cannot unblock ${id} \\(not blocked/scheduled\\?\\)`));
  assert.deepEqual(await comments(), ["BLOCKED: need input"]);
});

test("a scheduled task is left alone by the dispatcher until someone unblocks it (check 32)", async (t) => {
  const { K, id, P, status, comments } = await one(t);
  assert.equal((await K("schedule", id, "tomorrow")).out, `Scheduled ${id}: tomorrow\n`);
  assert.deepEqual((await P()).spawned, []);
  assert.deepEqual([await status(), await comments()], ["scheduled", ["SCHEDULED: tomorrow"]]);
  await K("unblock", id, "--reason", "go");
  assert.deepEqual([await status(), await comments()], ["ready", ["SCHEDULED: tomorrow", "UNBLOCK: go"]]);
});

test("what cannot be completed is told apart, and flags for one task are not given to two (checks 33, 34 and 35)", async (t) => {
  const { K, J, id, make, status } = await one(t);
  const other = await make("other");
  const waiting = await make("waiting", "--parent", id);
  const two = await K("complete", id, other, "--summary", "s");
  assert.deepEqual([two.code, await status(), await status(other)], [2, "ready", "ready"]);
  assert.equal((await K("complete", id, "--metadata", "[1]")).code, 2);
  const todo = await K("complete", waiting);
  assert.deepEqual([todo.code, todo.err.split("\n")[0]], [1, `kanban: cannot complete ${waiting}: status is todo`]);
  const mixed = await K("complete", id, other, "nope", "--result", "ok", "--json");
  const { results } = JSON.parse(mixed.out) as Results;
  assert.equal(mixed.code, 1);
  assert.deepEqual(
    results.map((row) => [row.task_id, row.ok, row.status]),
    [
      [id, true, "done"],
      [other, true, "done"],
      ["nope", false, null],
    ],
  );
  const done = await K("complete", id);
  assert.deepEqual([done.code, done.err.split("\n")[0]], [1, `kanban: cannot complete ${id}: status is done`]);
  const unknown = await K("complete", "nope");
  assert.deepEqual([unknown.code, unknown.err.split("\n")[0]], [1, "kanban: cannot complete nope: unknown id"]);
  assert.deepEqual(
    (await J<Task[]>("list", "--status", "done")).map((task) => task.result),
    ["ok", "ok"],
  );
});

test("an archived task is hidden until asked for, and comes back as it was (check 36)", async (t) => {
  const { K, id, status } = await one(t);
  await K("block", id, "later");
  assert.equal((await K("archive", id)).code, 0);
  assert.equal((await K("archive", id)).code, 1);
  assert.equal((await K("list")).out, "(no matching tasks)\n");
  assert.match((await K("list", "--archived")).out, new RegExp(`^— ${id} {2}archived `));
  assert.equal((await K("unarchive", id)).out, `Unarchived ${id} -> blocked\n`);
  assert.equal(await status(), "blocked");
});

test("what is not there is refused, as JSON where JSON was asked for (check 37)", async (t) => {
  const { K, id, refused } = await one(t);
  const { exit, code } = await refused("show", "nope");
  assert.deepEqual([exit, code], [1, "E_NOT_FOUND"]);
  assert.equal((await K("runs", "nope")).code, 1);
  const log = await K("log", id);
  assert.deepEqual([log.code, log.out, log.err.split("\n")[0]], [1, "", `kanban: (no log for ${id})`]);
});

test("several fields are edited in one step, and none at all is a mistake of the command line (check 38)", async (t) => {
  const { K, id, show } = await one(t);
  const before = (await show(id)).task.version;
  assert.equal(
    (await K("edit", id, "--title", "t2", "--priority", "3", "--body", "b")).out,
    `Edited ${id}: title, priority, body\n`,
  );
  const { task, events } = await show(id);
  assert.deepEqual([task.title, task.priority, task.body, task.version], ["t2", 3, "b", before + 1]);
  const edited = events.filter((event) => event.kind === "edited");
  assert.deepEqual(
    edited.map((event) => event.payload["fields"]),
    [["title", "priority", "body"]],
  );
  assert.equal((await K("edit", id)).code, 2);
});

test("while a worker runs its assignee stays, and other fields reach it later (check 39)", async (t) => {
  const { K, id, P, told, refused, show } = await one(t);
  await P();
  const { pid } = await told(id);
  const { exit, code } = await refused("edit", id, "--assignee", "p2");
  assert.deepEqual([exit, code], [1, "E_RUNNING"]);
  const edited = await K("edit", id, "--body", "b");
  assert.deepEqual([edited.code, edited.out], [0, `Edited ${id}: body\n`]);
  assert.match(edited.err, /^kanban: the running worker sees the change/);
  const { task } = await show(id);
  assert.deepEqual([task.status, task.body], ["running", "b"]);
  assert.doesNotThrow(() => process.kill(pid, 0));
});

test("completing a task leaves every file of its workspace where it is (check 41)", async (t) => {
  const { K, J, id } = await one(t);
  const { workspace } = await J<{ workspace: string }>("claim", id);
  writeFileSync(join(workspace, "out.txt"), "result");
  const before = readdirSync(workspace).sort();
  await K("complete", id, "--artifact", "out.txt");
  assert.deepEqual(readdirSync(workspace).sort(), before);
  const [file] = await J<{ filename: string; sha256: string }[]>("attachments", id);
  assert.equal(file?.filename, "out.txt");
});

test("a deleted task leaves nothing behind but the word that it was deleted (archive --rm)", async (t) => {
  const { K, J, id, places } = await one(t);
  const { workspace } = await J<{ workspace: string }>("claim", id);
  await K("archive", id);
  assert.equal((await K("archive", "--rm", id)).out, `Deleted ${id}\n`);
  assert.equal(existsSync(workspace), false);
  assert.deepEqual(existsSync(places.runs) ? readdirSync(places.runs) : [], []);
  assert.equal((await K("show", id)).code, 1);
});
