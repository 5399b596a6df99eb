import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Reply } from "../../../fixtures/servers/model/script.js";
import { lifeWorld } from "../../../fixtures/sim/gateway-life.js";
import { quiet } from "../../../fixtures/sim/gateway-world.js";
import { type Log, silentLog } from "../../base/log/log.js";

const texts = (seen: readonly { readonly text: string }[]) => seen.map(({ text }) => text);
const HOMES = { MSGT_HOME_CHANNEL: "home", MSGD_HOME_CHANNEL: "lobby" };

test("GW-27: /restart in a chat is answered once, restarts once, and the chat is told once that the gateway is back", async (t) => {
  const world = await lifeWorld(t, { script: [{ text: "PONG" }] });
  await world.host().begin();
  await world.say("1", "/restart");
  const end = await world.asked();
  assert.equal(end.why, "restart");
  assert.equal((await world.api().status()).restart_requested, true);
  await world.host().stop(end);
  assert.deepEqual(texts(world.one.ledger), ["🔄 The gateway restarts; you will be notified here when it is back."]);
  world.next();
  await world.host().begin();
  assert.equal(await world.say("1", "/restart"), "duplicate");
  await world.say("2", "ping");
  assert.deepEqual(texts((await world.shown(3)).slice(1)), ["✅ The gateway is online again.", "PONG"]);
  await world.host().stop();
  world.next();
  await world.host().begin();
  assert.equal((await world.api().status()).restart_requested, false);
  await world.host().stop();
  assert.equal(world.one.ledger.length, 3);
});

test("who talks while the gateway stops is told once that it is kept, and gets its answer from the next one", async (t) => {
  const world = await lifeWorld(t, { script: [{ text: "LATE", hold: "model" }, { text: "NEXT" }] });
  await world.host().begin();
  await world.say("1", "ping");
  await world.owner.model.arrived(1);
  const stopped = world.host().stop({ why: "stop" });
  assert.match((await world.shown(1))[0]?.text ?? "", /^⏹ The gateway stops/);
  assert.equal(world.host().state(), "draining");
  await world.say("2", "one more", "c2");
  assert.match((await world.shown(2))[1]?.text ?? "", /^⏳ The gateway stops: this is kept/);
  await world.say("3", "and another", "c2");
  world.owner.model.release("model");
  await stopped;
  assert.deepEqual(texts(world.one.ledger.slice(2)), ["LATE"]);
  world.next();
  await world.host().begin();
  assert.deepEqual(texts((await world.shown(4)).slice(3)), ["NEXT"]);
});

/** A turn of someone at a terminal has begun. */
async function atTerminal(t: TestContext, reply: Reply) {
  const world = await lifeWorld(t, { script: [reply] });
  await world.host().begin();
  const asked = world.owner.ask("take your time");
  asked.catch(() => undefined); // where it never ends, the owner of the test ends it
  await world.owner.model.arrived(1);
  return { world, asked };
}

for (const why of ["stop", "restart", "handover", "signal"] as const) {
  test(`an end (${why}) waits for a turn of the terminal as for one of a chat, and says meanwhile that it drains`, async (t) => {
    const { world, asked } = await atTerminal(t, { text: "LATE", hold: "model" });
    let over = false;
    const stopped = world
      .host()
      .stop({ why })
      .then(() => {
        over = true;
      });
    await quiet();
    assert.deepEqual([over, world.host().state()], [false, "draining"]);
    world.owner.model.release("model");
    assert.equal((await asked).final_response, "LATE");
    await stopped;
    assert.equal(world.host().state(), "stopped");
  });
}

test("a turn of the terminal that takes longer than a planned end waits holds it up no longer", async (t) => {
  const { world } = await atTerminal(t, { text: "NEVER", hold: "never" });
  await world.host().stop({ why: "handover", limitMs: 1 });
  assert.equal(world.host().state(), "stopped");
});

test("a second signal ends a drain that would wait for a turn", async (t) => {
  const world = await lifeWorld(t, { script: [{ text: "NEVER", hold: "never" }] });
  await world.host().begin();
  await world.say("1", "ping");
  await world.owner.model.arrived(1);
  const stopped = world.host().stop({ why: "signal" });
  world.host().hurry();
  await stopped;
  assert.equal(world.host().state(), "stopped");
  assert.match((await world.api().status()).exit_reason ?? "", /stopped/);
});

test("a second signal ends a drain that would wait for a turn of the terminal", async (t) => {
  const { world } = await atTerminal(t, { text: "NEVER", hold: "never" });
  const stopped = world.host().stop({ why: "signal" });
  world.host().hurry();
  await stopped;
  assert.equal(world.host().state(), "stopped");
});

test("home channels are told that the gateway stops and is back, not more often than every ten minutes, and not where it is switched off", async (t) => {
  const world = await lifeWorld(t, { script: [], env: { ...HOMES, MSGD_GATEWAY_RESTART_NOTIFICATION: "no" } });
  await world.host().begin();
  assert.deepEqual(texts(await world.shown(1)), ["✅ The gateway is online again."]);
  await world.host().stop({ why: "restart" });
  assert.match((await world.shown(2))[1]?.text ?? "", /^🔄 The gateway restarts/);
  world.next();
  await world.host().begin();
  await world.host().stop({ why: "handover" });
  assert.equal(world.one.ledger.length, 2);
  assert.equal(world.two.ledger.length, 0);
});

test("GW-04: a platform that is given up is told to the home channel of another one, which goes on", async (t) => {
  const world = await lifeWorld(t, {
    script: [{ text: "PONG" }],
    env: { ...HOMES, MSGT_GATEWAY_RESTART_NOTIFICATION: "no" },
  });
  world.two.connects.push({ connected: false, code: "auth_failed", message: "MSGD_BOT_TOKEN is refused" });
  await world.host().begin();
  assert.deepEqual(texts(await world.shown(1)), ["⚠️ msgd is not connected (auth_failed): MSGD_BOT_TOKEN is refused"]);
  const { state, platforms } = await world.api().status();
  assert.equal(state, "running");
  assert.deepEqual(
    [platforms["msgd"]?.state, platforms["msgd"]?.error_code, platforms["msgt"]?.state],
    ["fatal", "auth_failed", "connected"],
  );
  await world.say("1", "ping");
  assert.equal((await world.shown(2))[1]?.text, "PONG");
});

test("GW-06: a platform whose library is not there is given up and says what to install, and the other one answers", async (t) => {
  const world = await lifeWorld(t, { script: [{ text: "PONG" }] });
  const message = "the package discord.js 14 is not installed: npm install discord.js@14";
  world.two.connects.push({ connected: false, code: "sdk_missing", message });
  await world.host().begin();
  await world.say("1", "ping");
  assert.equal((await world.shown(1))[0]?.text, "PONG");
  const { platforms } = await world.api().status();
  assert.deepEqual(
    [
      platforms["msgd"]?.state,
      platforms["msgd"]?.error_code,
      platforms["msgd"]?.error_message,
      platforms["msgt"]?.state,
    ],
    ["fatal", "sdk_missing", message, "connected"],
  );
});

test("GW-123: a login that has ended is reported once to the home channel of another platform", async (t) => {
  const world = await lifeWorld(t, {
    script: [{ text: "PONG" }],
    env: { ...HOMES, MSGT_GATEWAY_RESTART_NOTIFICATION: "no" },
  });
  world.two.connects.push({
    connected: false,
    code: "login_expired",
    message: "log in again: agent gateway login msgd",
  });
  await world.host().begin();
  const [told] = await world.shown(1);
  assert.equal(told?.text, "⚠️ msgd is not connected (login_expired): log in again: agent gateway login msgd");
  await world.say("1", "ping");
  assert.deepEqual(texts(await world.shown(2)).slice(1), ["PONG"]);
});

for (const { how, begins, says } of [
  { how: "an owner that would have one", begins: "start", says: false },
  { how: "a gateway that somebody asked for", begins: "begin", says: true },
] as const)
  test(`that no platform is set up is ${says ? "" : "not "}a warning in the log of ${how}`, async (t) => {
    const warned: string[] = [];
    const log: Log = { ...silentLog, warning: (text) => void warned.push(text), child: () => log };
    const world = await lifeWorld(t, { script: [], real: { entries: [] }, log });
    await world.host()[begins]();
    assert.equal(
      warned.some((text) => text.includes("no platform configured")),
      says,
    );
  });

test("GW-05: where every platform is given up the gateway goes on, degraded", async (t) => {
  const world = await lifeWorld(t, { script: [] });
  for (const one of [world.one, world.two]) one.connects.push({ connected: false, code: "auth_failed", message: "no" });
  await world.host().begin();
  await quiet();
  assert.equal((await world.api().status()).state, "degraded");
  const { cron, cronParts } = world.owner.app;
  const { service } = await cronParts();
  await service.start();
  t.after(() => service.stop(0));
  const at = `${new Date(world.owner.app.options.clock.now() - 1_000).toISOString().slice(0, 19)}Z`;
  mkdirSync(join(world.owner.home.dir, "scripts"));
  writeFileSync(join(world.owner.home.dir, "scripts", "up.sh"), "echo up");
  const { job } = await cron.create({ schedule: at, name: "up", script: "up.sh", no_agent: true, deliver: "local" });
  while ((await cron.show(job.id)).job.last_status === null) await new Promise(setImmediate);
  assert.equal((await cron.show(job.id)).job.last_status, "ok");
  await world.api().resume("msgd");
  await quiet();
  assert.equal((await world.api().status()).state, "running");
  await world.api().pause("msgd");
  await quiet();
  assert.equal((await world.api().status()).platforms["msgd"]?.state, "paused");
});

test("a planned stop is remembered: a workspace that takes the home over starts no gateway until someone does", async (t) => {
  const world = await lifeWorld(t, { script: [] });
  await world.host().begin();
  await world.host().stop({ why: "stop" });
  world.next({ tookOver: true });
  await world.host().start();
  assert.equal(world.host().state(), "stopped");
  assert.equal((await world.api().status()).exit_reason, "planned stop");
  await world.api().begin();
  await world.host().stop({ why: "handover" });
  world.next({ tookOver: true });
  await world.host().start();
  assert.equal(world.host().state(), "running");
});
