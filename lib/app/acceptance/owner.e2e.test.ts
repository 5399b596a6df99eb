import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { eventually } from "../../../fixtures/e2e/eventually.js";
import { type TaskView, type World, world } from "../../../fixtures/e2e/world.js";
import { proves } from "../../../fixtures/requirements.js";

interface Made {
  readonly id: string;
  readonly created: boolean;
}

test("twenty creates at once with no owner all succeed, and every task is there", async (t) => {
  const { run, json } = await world(t);
  const titles = Array.from({ length: 20 }, (_, n) => `task ${n}`);
  const ran = await Promise.all(titles.map((title) => run(["kanban", "create", title, "--external", "--json"])));
  assert.deepEqual(
    ran.filter(({ code }) => code !== 0),
    [],
  );
  const ids = ran.map(({ out }): string => JSON.parse(out).id);
  const listed = await json<Made[]>("kanban", "list");
  assert.deepEqual(sorted(listed.map(({ id }) => id)), sorted(ids));
  assert.equal((await json<{ running: boolean }>("owner", "status")).running, false);
});

for (const { way, owned } of [
  { way: "with no owner", owned: false },
  { way: "with an owner", owned: true },
]) {
  test(`twenty creates at once with one idempotency key make one task, ${way}`, async (t) => {
    proves(t, "board.task.idempotency-key");
    const { run, json, owner } = await world(t);
    if (owned) await owner();
    const words = ["kanban", "create", "once", "--external", "--idempotency-key", "k", "--json"];
    const ran = await Promise.all(Array.from({ length: 20 }, () => run(words)));
    assert.deepEqual(
      ran.filter(({ code }) => code !== 0),
      [],
    );
    const answers = ran.map(({ out }): Made => JSON.parse(out));
    assert.equal(new Set(answers.map(({ id }) => id)).size, 1);
    assert.equal(answers.filter(({ created }) => created).length, 1);
    assert.equal((await json<Made[]>("kanban", "list")).length, 1);
  });
}

test("a second owner ends with 1 and names the first", async (t) => {
  const { owner, run } = await world(t);
  const { pid } = await owner();
  const second = await run(["--headless"]);
  assert.equal(second.code, 1);
  assert.match(second.err, new RegExp(`process ${pid} owns`));
});

for (const signal of ["SIGKILL", "SIGTERM"] as const) {
  test(`workers of an owner that ends by ${signal} go on under the next one: same process, one run`, async (t) => {
    proves(t, "R2");
    const made = await world(t);
    const first = await made.owner();
    const open = join(made.work, "open"); // the command lasts until it is there, however long the owners take
    const body = `run touch begun; until test -e ${open}; do sleep 0.1; done\nwrite file out.txt: late`;
    const { id } = await made.json<Made>("kanban", "create", "slow", "--body", body, "--assignee", "default");
    const spawned = await made.event((one) => one.event === "spawned" && one.task_id === id);
    // The event comes before the worker is let go, and one that its owner had not let go by then never begins.
    const { workspace_path: workspace } = (await made.json<TaskView>("kanban", "show", id)).task;
    await eventually(() => existsSync(join(workspace ?? "", "begun")));
    const { code } = await first.end(signal);
    if (signal === "SIGTERM") assert.equal(code, 1); // no one planned it
    await made.owner();
    writeFileSync(open, "");
    const { task, runs, events } = await made.settled(id);
    const adopted = events.find(({ kind }) => kind === "adopted");
    assert.equal(adopted?.payload["pid"], spawned.data["pid"]);
    assert.deepEqual([task.status, runs.length, runs[0]?.outcome], ["done", 1, "completed"]);
    assert.equal(readFileSync(join(task.workspace_path ?? "", "out.txt"), "utf8").trim(), "late");
  });
}

test("two hundred tasks are claimed from eight command lines at once, each exactly once", async (t) => {
  const made = await world(t);
  await made.owner();
  const own = made.client();
  const ids: string[] = [];
  while (ids.length < 200)
    ids.push((await own.call<Made>("kanban.create", { title: `task ${ids.length}`, external: true })).id);
  own.close();
  const claimed = await Promise.all(Array.from({ length: 8 }, (_, client) => claimAll(made, ids, client)));
  assert.deepEqual(sorted(claimed.flat()), sorted(ids));
});

const sorted = (ids: readonly string[]) => [...ids].sort((a, b) => a.localeCompare(b));

/** Each command line begins at another place, and all of them want everything. */
async function claimAll({ run }: World, ids: readonly string[], client: number): Promise<string[]> {
  const from = client * 25;
  const won: string[] = [];
  for (const id of [...ids, ...ids].slice(from, from + 35)) {
    const { code, err } = await run(["kanban", "claim", id]);
    if (code === 0) won.push(id);
    else assert.match(err, /cannot claim|running|claimed/);
  }
  return won;
}
