import assert from "node:assert/strict";
import { test } from "node:test";
import { type RestWorld, setupRest } from "../../../../fixtures/dashboard/rest.js";
import { proves } from "../../../../fixtures/requirements.js";
import { DEFAULT, USER } from "../../../../fixtures/sim/board-world.js";
import { silentLog } from "../../../base/log/log.js";
import type { TaskId } from "../../../base/units.js";

interface Results {
  readonly results: readonly {
    readonly id: string;
    readonly ok: boolean;
    readonly error?: string;
    readonly code?: string;
    readonly warning?: string;
  }[];
  readonly detail?: string;
}

const make = async ({ world }: RestWorld, more: object = {}): Promise<TaskId> =>
  (await world.board.create(DEFAULT, { title: "one", ...more }, USER)).task.id;
const bulk = (rest: RestWorld, body: object) => rest.ask<Results>("POST", "/tasks/bulk", body);
const oks = ({ json }: { json: Results }) => json.results.map(({ ok }) => ok);
const stateOf = async ({ world }: RestWorld, id: TaskId) => {
  const { status, assignee, priority } = await world.board.task(DEFAULT, id);
  return [status, assignee, priority];
};
const claim = ({ world }: RestWorld, id: TaskId) =>
  world.board.claim(DEFAULT, id, { profile: "alice", lock: "host:1", by: USER });

test("running is never written, to one task or to several, and nothing changes (acceptance 91)", async (t) => {
  proves(t, "board.running.bulk-rejected");
  const rest = await setupRest(t);
  const ids = [await make(rest), await make(rest)];
  const before = await Promise.all(ids.map((id) => rest.world.board.task(DEFAULT, id)));
  assert.equal((await rest.ask("PATCH", `/tasks/${ids[0]}`, { status: "running" })).status, 400);
  for (const status of ["running", "archived", "lost"]) {
    const { status: code, json } = await bulk(rest, { ids, status, priority: 9 });
    assert.equal(code, 200);
    for (const result of json.results)
      assert.deepEqual([result.ok, result.code, (result.error ?? "") !== ""], [false, "E_INVALID", true]);
  }
  assert.deepEqual(await Promise.all(ids.map((id) => rest.world.board.task(DEFAULT, id))), before);
});

test("each task is changed by itself: what is refused for one is done to the others", async (t) => {
  const rest = await setupRest(t);
  const a = await make(rest);
  const b = await make(rest, { triage: true });
  const c = await make(rest);
  const answer = await bulk(rest, {
    ids: [a, "t_00000000", b, "x", a, c],
    status: "done",
    priority: 3,
    assignee: "Bob",
    summary: "s",
  });
  assert.deepEqual(
    answer.json.results.map(({ id, ok, code }) => [id, ok, code]),
    [
      [a, true, undefined],
      ["t_00000000", false, "E_NOT_FOUND"],
      [b, false, "E_STATE"],
      ["x", false, "E_NOT_FOUND"],
      [c, true, undefined],
    ],
  );
  assert.deepEqual(
    [await stateOf(rest, a), await stateOf(rest, b)],
    [
      ["done", "bob", 3],
      ["triage", null, 0],
    ],
  );
  assert.equal((await rest.world.board.runs(DEFAULT, a))[0]?.summary, "s");
});

test("tasks are changed in the order in which they are named, so that a parent frees its child first", async (t) => {
  const rest = await setupRest(t);
  const parent = await make(rest);
  const child = await make(rest, { parents: [parent] });
  assert.deepEqual(oks(await bulk(rest, { ids: [child, parent], status: "done" })), [false, true]);
  assert.deepEqual(oks(await bulk(rest, { ids: [child], status: "done" })), [true]);
});

test("tasks are archived and deleted by their flags", async (t) => {
  const rest = await setupRest(t);
  const ids = [await make(rest), await make(rest)];
  await bulk(rest, { ids, archive: true, priority: 2 });
  for (const id of ids) assert.deepEqual(await stateOf(rest, id), ["archived", null, 2]);
  assert.deepEqual(oks(await bulk(rest, { ids, archive: true })), [false, false]);
  assert.deepEqual(oks(await bulk(rest, { ids, delete: true })), [true, true]);
  assert.deepEqual(await rest.world.board.list(DEFAULT, { archived: true }), []);
});

test("a running task is taken from its worker first only when that is asked for", async (t) => {
  const rest = await setupRest(t);
  const a = await make(rest);
  const b = await make(rest);
  const idle = await make(rest, { triage: true });
  for (const id of [a, b]) await claim(rest, id);
  assert.deepEqual(oks(await bulk(rest, { ids: [a, idle], assignee: "bob" })), [false, true]);
  assert.deepEqual(oks(await bulk(rest, { ids: [a, idle], assignee: "alice", reclaim_first: true })), [true, true]);
  assert.deepEqual(
    [await stateOf(rest, a), await stateOf(rest, idle)],
    [
      ["ready", "alice", 0],
      ["triage", "alice", 0],
    ],
  );
  assert.deepEqual(oks(await bulk(rest, { ids: [b, idle], assignee: "bob", priority: 1, reclaim_first: true })), [
    true,
    true,
  ]);
  assert.deepEqual(
    [await stateOf(rest, b), await stateOf(rest, idle)],
    [
      ["ready", "bob", 1],
      ["triage", "bob", 1],
    ],
  );
});

const REFUSED = [
  { name: "no ids", body: { priority: 1 }, status: 400 },
  { name: "an empty list", body: { ids: [], priority: 1 }, status: 400 },
  { name: "nothing to change", body: { ids: ["t_00000000"] }, status: 400 },
  { name: "a change beside delete", body: { ids: ["t_00000000"], delete: true, priority: 1 }, status: 400 },
  { name: "a status beside archive", body: { ids: ["t_00000000"], archive: true, status: "done" }, status: 400 },
  {
    name: "more than 500 ids",
    body: { ids: Array.from({ length: 501 }, (_, at) => `t_${at}`), priority: 1 },
    status: 413,
  },
];
for (const { name, body, status } of REFUSED)
  test(`several changes with ${name} are answered with ${status}`, async (t) => {
    const rest = await setupRest(t);
    const answer = await bulk(rest, body);
    assert.deepEqual([answer.status, typeof answer.json.detail], [status, "string"]);
  });

test("what is to be known of a change is reported with it, and what is broken inside is only in the log", async (t) => {
  const lines: unknown[] = [];
  const log = { ...silentLog, error: (text: string, facts?: object) => lines.push([text, facts]) };
  const rest = await setupRest(t, { parts: { log } });
  const id = await make(rest);
  const { json } = await bulk(rest, { ids: [id], assignee: "ghost" });
  assert.match(json.results[0]?.warning ?? "", /profile ghost does not exist/);
  rest.world.stopper.onStop = async () => {
    throw new Error("a detail of ours");
  };
  await claim(rest, id);
  const broken = (await bulk(rest, { ids: [id], status: "done" })).json.results[0];
  assert.deepEqual([broken?.ok, broken?.code, lines.length], [false, "E_INTERNAL", 1]);
  assert.ok(!JSON.stringify(broken).includes("a detail of ours"));
});
