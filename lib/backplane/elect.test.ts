import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { startBackplane } from "../../fixtures/sim/backplane.js";
import { readOwner, tryLock } from "../../storage/lock.js";
import { layOutHome } from "../base/home.js";
import { ownOr, ownOrConnect } from "./elect.js";

const OPTIONS = { kind: "test", version: "9.9.9" };

test("with no one there a process owns at once, and its lock names it", async (t) => {
  const home = freshHome(t);
  const met = await ownOrConnect(home, OPTIONS);
  assert.equal(met.role, "owner");
  const text = readOwner(home.lock);
  assert.equal(text?.pid, process.pid);
  assert.equal(text?.version, "9.9.9");
  assert.equal(text?.socket, home.socket);
  if (met.role === "owner") await met.release();
});

const LEFT = [
  ["belongs to another program now", process.ppid],
  ["is that of a process with another start time", process.pid],
  ["is nobody's", 2 ** 22 + 1],
] as const;

for (const [what, pid] of LEFT) {
  test(`GW-02: a record of an owner whose process number ${what} keeps no one from owning, nor does its socket`, async (t) => {
    const home = freshHome(t);
    writeFileSync(
      home.lock,
      JSON.stringify({ pid, start: "1", boot: "", host: hostname(), version: "1", socket: home.socket }),
    );
    mkdirSync(dirname(home.socket), { recursive: true });
    writeFileSync(home.socket, "");
    const met = await ownOrConnect(home, OPTIONS);
    assert.equal(met.role, "owner");
    assert.deepEqual([readOwner(home.lock)?.pid, readOwner(home.lock)?.version], [process.pid, "9.9.9"]);
    if (met.role === "owner") await met.release();
  });
}

test("with an owner there a process is its client, without looking at the lock", async (t) => {
  const { home } = await startBackplane(t);
  const met = await ownOrConnect(home, OPTIONS);
  assert.ok(met.role === "client");
  assert.deepEqual(await met.client.call("echo", { text: "x" }), { text: "x" });
  met.client.close();
});

test("work that a leaving owner did not begin is done by this process once it owns", async (t) => {
  const { home, server } = await startBackplane(t);
  const lock = await tryLock(home.lock);
  const tries: string[] = [];
  const met = await ownOr(home, OPTIONS, async (client) => {
    server.leave("test");
    lock?.release();
    tries.push("asked");
    return await client.call("echo", { text: "x" });
  });
  assert.deepEqual([met.role, ...tries], ["owner", "asked"]);
  if (met.role === "owner") await met.release();
});

test("work that an owner began is not given to another one", async (t) => {
  const { home, server, waiting } = await startBackplane(t);
  const lost = assert.rejects(
    ownOr(home, OPTIONS, async (client) => await client.call("wait")),
    { code: "E_OWNER_LOST" },
  );
  await waiting.next();
  await Promise.all([server.stop(0), lost]);
});

test("an owner that is ending is waited for, and then replaced", async (t) => {
  const home = freshHome(t);
  const clock = manualClock();
  const first = await tryLock(home.lock);
  const second = ownOrConnect(home, { ...OPTIONS, clock });
  await clock.waits();
  first?.release();
  clock.advance(1_000);
  const met = await second;
  assert.ok(met.role === "owner");
  await met.release();
});

test("a process that holds the lock and does not listen is named after 10 s", async (t) => {
  const home = freshHome(t);
  const clock = manualClock();
  const holder = await tryLock(home.lock);
  holder?.describe({ pid: 4711, start: "", boot: "", host: "box", version: "1", socket: "" });
  const failed = assert.rejects(ownOrConnect(home, { ...OPTIONS, clock, chance: () => 0 }), {
    code: "E_OWNER",
    message: /process 4711 on box owns/,
  });
  let over = false;
  const ended = failed.finally(() => (over = true));
  while (!over) {
    await Promise.race([clock.waits(), ended]);
    clock.advance(250);
  }
  assert.ok(clock.mono() >= 10_000 && clock.mono() < 11_000, `gave up after ${clock.mono()} ms`);
  holder?.release();
});

test("behind processes that own one after the other each is waited for as long as if it were the only one", async (t) => {
  const { clock, lock, owns } = await behindHolder(t);
  for (const pid of [1, 2, 3]) {
    lock?.describe({ pid, start: "", boot: "", host: "box", version: "1", socket: "" });
    for (let waited = 0; waited < 8_000; waited += 250) {
      await clock.waits();
      clock.advance(250);
    }
  }
  await owns();
});

test("while the machine stands still a holder is not given up: it could not go on either", async (t) => {
  const { clock, owns } = await behindHolder(t);
  await clock.waits();
  clock.advance(60_000);
  await owns();
});

/** A process that waits for one that holds the home and does not listen. `owns`: the holder goes, and it owns the home itself. */
async function behindHolder(t: TestContext) {
  const home = freshHome(t);
  const clock = manualClock();
  const lock = await tryLock(home.lock);
  const met = ownOrConnect(home, { ...OPTIONS, clock, chance: () => 0 });
  const owns = async () => {
    await clock.waits();
    lock?.release();
    clock.advance(250);
    const owner = await met;
    assert.ok(owner.role === "owner");
    await owner.release();
  };
  return { clock, lock, owns };
}

function freshHome(t: TestContext) {
  const dir = mkdtempSync(join(tmpdir(), "agent-elect-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return layOutHome(dir);
}
