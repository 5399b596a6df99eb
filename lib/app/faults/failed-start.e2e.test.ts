import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { changedFiles, storeDigests } from "../../../fixtures/e2e/store-files.js";
import { world } from "../../../fixtures/e2e/world.js";

test("two gateway starts in a row on a home with a damaged session store leave every store as it was, and each exits 78 with the reason", async (t) => {
  const made = await world(t);
  assert.equal((await made.run(["gateway", "start"])).code, 0);
  await made.json("cron", "create", "@daily", "x");
  await made.json("kanban", "create", "one", "--external");
  assert.equal((await made.run(["gateway", "stop"])).code, 0);
  await made.alone();
  writeFileSync(made.home.sessions, randomBytes(4096));
  const before = storeDigests(made.home.dir);
  for (const attempt of [1, 2]) {
    const { code, err, out } = await made.run(["gateway", "start"]);
    assert.deepEqual([attempt, code, out], [attempt, 78, ""]);
    assert.match(err, /failed to start the gateway: .*sessions\.db is damaged: not a SQLite file\n/);
    assert.doesNotMatch(err, /Node\.js|closed/);
    await made.alone();
    assert.deepEqual(changedFiles(before, storeDigests(made.home.dir)), []);
  }
  assert.equal((await made.json<unknown[]>("cron", "list")).length, 1);
  assert.equal((await made.json<unknown[]>("kanban", "list")).length, 1);
  const status = await made.run(["gateway", "status", "--json"]);
  assert.match(JSON.parse(status.out).exit_reason, /sessions\.db is damaged/);
  assert.equal(JSON.parse(status.out).state, "startup_failed");
  assert.deepEqual(changedFiles(before, storeDigests(made.home.dir)), []);
});
