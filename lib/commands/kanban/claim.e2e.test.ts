import assert from "node:assert/strict";
import { test } from "node:test";
import { type World, world } from "../../../fixtures/e2e/world.js";
import { proves } from "../../../fixtures/requirements.js";
import type { Task } from "../../contracts/board/board.js";

interface Claimed {
  readonly task: Task;
  readonly run_id: number;
  readonly token: string;
}

/** Claim every task in turn, as one client does that wants as many as it can get. */
async function claimAll({ run }: World, ids: readonly string[]): Promise<readonly Claimed[]> {
  const won: Claimed[] = [];
  for (const id of ids) {
    const { code, out } = await run(["kanban", "claim", id, "--json"]);
    if (code === 0)
      won.push(JSON.parse(out) as Claimed); // the shape that claim answers
    else assert.equal((JSON.parse(out) as { error: { code: string } }).error.code, "E_STATE");
  }
  return won;
}

test("four clients that claim everything get every task exactly once", async (t) => {
  proves(t, "board.claim.atomic");
  const place = await world(t, { config: "kanban:\n  dispatch_in_gateway: false\n" });
  await place.owner();
  const made = Array.from({ length: 8 }, (_, n) => place.json<Task>("kanban", "create", `task ${n}`, "--external"));
  const ids = (await Promise.all(made)).map((task) => task.id);
  const turns = [0, 2, 4, 6].map((from) => claimAll(place, [...ids.slice(from), ...ids.slice(0, from)]));
  const won = (await Promise.all(turns)).flat();
  assert.deepEqual(won.map((one) => one.task.id).sort(), [...ids].sort());
  assert.equal(new Set(won.map((one) => one.run_id)).size, ids.length);
});

test("ten processes that create with one key at once make one task, with no owner running", async (t) => {
  const { json } = await world(t, { config: "kanban:\n  dispatch_in_gateway: false\n" });
  const create = () =>
    json<Task & { created: boolean }>("kanban", "create", "dup", "--idempotency-key", "k1", "--external");
  const made = await Promise.all(Array.from({ length: 10 }, create));
  assert.equal(new Set(made.map((task) => task.id)).size, 1);
  assert.equal(made.filter((task) => task.created).length, 1);
});

test("a person who completes a running task ends its worker first, and the claim of the worker is lost", async (t) => {
  const { json, run } = await world(t, { config: "kanban:\n  dispatch_in_gateway: false\n" });
  const { id } = await json<Task>("kanban", "create", "x", "--external");
  const claim = await json<Claimed>("kanban", "claim", id);
  assert.equal((await run(["kanban", "complete", id, "--summary", "by hand"])).code, 0);
  const proof = ["--run", String(claim.run_id), "--token", claim.token];
  const late = await run(["kanban", "complete", id, "--summary", "late", ...proof]);
  assert.equal(late.code, 1);
  assert.match(late.err, new RegExp(`^kanban: you no longer own ${id}; stop now\n`));
  const { runs } = await json<{ runs: { summary: string }[] }>("kanban", "show", id);
  assert.deepEqual(
    runs.map((one) => one.summary),
    ["by hand"],
  );
});
