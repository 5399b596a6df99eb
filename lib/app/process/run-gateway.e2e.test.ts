import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type World, world } from "../../../fixtures/e2e/world.js";

async function gateway({ start }: World, env: Readonly<Record<string, string>> = {}) {
  const running = start(["gateway", "run"], { env });
  await running.line((line) => line.includes("gateway of"));
  return running;
}

test("GW-01 GW-03: a second gateway ends with 1 and names the first, which goes on; a planned stop ends it with 0", async (t) => {
  const made = await world(t);
  const first = await gateway(made);
  const second = await made.run(["gateway", "run"]);
  assert.equal(second.code, 1);
  assert.match(second.err, new RegExp(`process ${first.pid} \\(gateway\\) owns .* since 2`));
  const status = await made.run(["gateway", "status", "--json"]);
  assert.equal(status.code, 0);
  const { running, state, role, pid, platforms } = JSON.parse(status.out);
  assert.deepEqual(
    { running, state, role, pid, platforms },
    { running: true, state: "running", role: "gateway", pid: first.pid, platforms: {} },
  );
  assert.equal((await made.run(["gateway", "stop"])).code, 0);
  assert.equal((await first.ended).code, 0);
  assert.equal((await made.run(["gateway", "status"])).code, 3);
  const setup = await made.run(["gateway", "setup", "msgt"]);
  assert.equal(setup.code, 2);
  assert.match(setup.out, /needs a terminal.* {2}MSGT_BOT_TOKEN .*needed, secret/s);
});

const LIBRARIES = /node_modules\/(?:grammy|discord\.js|@line|@larksuiteoapi|@google-cloud|google-auth-library|jose)\//;

test("GW-03 GW-07: a gateway that is ended by SIGTERM without a plan ends with 1, and the home is free; it has loaded no library of a platform", async (t) => {
  const made = await world(t);
  const preload = join(made.work, "preload.cjs");
  const list = join(made.work, "loaded.json");
  // Threads load it too; what the process itself has loaded is asked about.
  writeFileSync(
    preload,
    `if (require("worker_threads").isMainThread)
      process.on("exit", () => require("fs").writeFileSync(${JSON.stringify(list)}, JSON.stringify(Object.keys(require.cache))));`,
  );
  const first = await gateway(made, { NODE_OPTIONS: `--require ${preload}` });
  assert.equal((await first.end("SIGTERM")).code, 1);
  const loaded: readonly string[] = JSON.parse(readFileSync(list, "utf8"));
  assert.ok(loaded.length > 1);
  assert.deepEqual(
    loaded.filter((path) => LIBRARIES.test(path)),
    [],
  );
  const next = await gateway(made);
  assert.equal((await next.end("SIGINT")).code, 0);
});

test("an owner without a screen heeds signals as a gateway does: a closed terminal changes nothing, SIGUSR1 restarts it, an unplanned end is 1", async (t) => {
  const made = await world(t);
  const supervised = await made.owner({ AGENT_SUPERVISED: "1" });
  process.kill(supervised.pid, "SIGHUP");
  assert.equal((await made.json<{ pid: number }>("owner", "status")).pid, supervised.pid);
  assert.equal((await supervised.end("SIGUSR1")).code, 75);
  assert.equal((await (await made.owner()).end("SIGINT")).code, 0);
  assert.equal((await (await made.owner()).end("SIGTERM")).code, 1);
  const planned = await made.owner();
  assert.equal((await made.run(["gateway", "stop"])).code, 0);
  assert.equal((await planned.ended).code, 0);
});

test("a closed terminal ends no gateway; a restart ends it with 75 where a supervisor starts it again, else it comes back by itself", async (t) => {
  const made = await world(t);
  const supervised = made.start(["gateway", "run"], { env: { AGENT_SUPERVISED: "1" } });
  await supervised.line((line) => line.includes("gateway of"));
  process.kill(supervised.pid, "SIGHUP");
  assert.equal((await made.run(["gateway", "status"])).code, 0);
  assert.equal((await supervised.end("SIGUSR1")).code, 75);
  const first = await gateway(made);
  const second = made.start(["gateway", "run", "--replace"]);
  await second.line((line) => line.includes("gateway of"));
  assert.equal((await first.ended).code, 0);
  const restarted = await made.run(["gateway", "restart"]);
  assert.equal((await second.ended).code, 0);
  const pid = /restarted \(pid (\d+)\)/.exec(restarted.out)?.[1];
  assert.notEqual(Number(pid), second.pid);
  const [row] = JSON.parse((await made.run(["gateway", "list", "--json"])).out);
  assert.equal(row.pid, Number(pid));
  assert.match((await made.run(["gateway", "start"])).out, new RegExp(`already running \\(pid ${pid}\\)`));
  assert.equal((await made.run(["gateway", "stop"])).out, "the gateway is stopped\n");
});
