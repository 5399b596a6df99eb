import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type ManualClock, manualClock } from "../../../fixtures/ports/clock.js";
import { type SimDisk, simDisk } from "../../../fixtures/ports/disk.js";
import { gatewayWorld } from "../../../fixtures/sim/gateway-world.js";
import { simPlatform } from "../../../fixtures/sim/platform.js";
import type { AdapterCode, Connected } from "../../contracts/gateway/platform.js";
import { ADAPTER_CODES, type Platform } from "../../contracts/gateway/platform.js";
import type { Claims } from "./credential-claims.js";
import { toReceipt } from "./send-outcome.js";

interface Options {
  readonly connects?: readonly Connected[];
  readonly disk?: SimDisk;
  readonly clock?: ManualClock;
  readonly claims?: Claims;
}

async function setup(t: TestContext, options: Options = {}) {
  const { connects = [], disk = simDisk(), clock = manualClock() } = options;
  const one = simPlatform("msgt", () => clock.now(), toReceipt);
  const two = simPlatform("msgd", () => clock.now(), toReceipt);
  one.connects.push(...connects);
  const only = {
    take: async (platform: Platform) =>
      (platform === one.port ? options.claims?.take(platform) : undefined) ?? NO_CLAIM,
  };
  const world = await gatewayWorld({ platforms: [one, two], clock, disk, claims: only });
  let stopped = false;
  const stop = async () => {
    if (!stopped) await world.stop();
    stopped = true;
  };
  t.after(stop);
  await world.start();
  await world.quiet();
  const after = async (ms: number) => {
    clock.advance(ms);
    await world.quiet();
  };
  const state = (at = 0) => world.supervisor.statuses()[at]?.state;
  return { ...world, clock, one, two, after, state, stop };
}

const NO_CLAIM = { release: () => undefined };
const fault = (code: AdapterCode): Connected => ({ connected: false, code, message: "why" });

test("an adapter that fails does not hold up another", async (t) => {
  const { state, supervisor } = await setup(t, { connects: [fault("auth_failed")] });
  assert.deepEqual([state(0), state(1)], ["fatal", "connected"]);
  assert.equal(supervisor.statuses()[0]?.error_message, "why");
});

for (const [code, rule] of Object.entries(ADAPTER_CODES)) {
  test(`${code} is ${rule.retried ? "tried again" : "left until somebody resumes it"}`, async (t) => {
    const { one, after, state, supervisor } = await setup(t, { connects: [fault(code as AdapterCode)] }); // a key of the table
    assert.equal(state(), rule.retried && !("every" in rule) ? "retrying" : "fatal");
    await after(60_000);
    assert.equal(one.connected, rule.retried ? 2 : 1);
    await supervisor.resume("msgt");
    await after(0);
    assert.equal(state(), "connected");
  });
}

const WAITS = [5, 10, 20, 40, 80, 160, 300, 300] as const;
test("waits between connects double from five seconds to five minutes", async (t) => {
  const { one, after } = await setup(t, { connects: WAITS.map(() => fault("network")) });
  for (const [n, seconds] of WAITS.entries()) {
    await after(seconds * 1000 - 1);
    assert.equal(one.connected, n + 1);
    await after(1);
    assert.equal(one.connected, n + 2);
  }
});

test("a token that is in use is looked at every minute", async (t) => {
  const { one, after } = await setup(t, { connects: [1, 2, 3].map(() => fault("token_in_use")) });
  for (const times of [2, 3, 4]) {
    await after(59_999);
    assert.equal(one.connected, times - 1);
    await after(1);
    assert.equal(one.connected, times);
  }
});

test("a connection that is lost is made again, and one that is lost at once waits longer each time", async (t) => {
  const { one, after, state } = await setup(t);
  for (const seconds of [5, 10, 20]) {
    one.reports?.lost({ code: "network", message: "gone" });
    await after(0);
    assert.deepEqual([state(), one.disconnected > 0], ["retrying", true]);
    await after(seconds * 1000);
    assert.equal(state(), "connected");
  }
  await after(60_000);
  one.reports?.lost({ code: "network", message: "gone" });
  await after(0);
  await after(5000);
  assert.equal(state(), "connected");
});

test("a connect that never ends is given up after its time", async (t) => {
  const { one, after, state, supervisor } = await setup(t, { connects: [fault("network")] });
  one.port.connect = () => new Promise(() => undefined);
  await after(5000);
  assert.equal(state(), "connecting");
  await after(30_000);
  assert.deepEqual([state(), supervisor.statuses()[0]?.error_code], ["retrying", "timeout"]);
});

test("a platform that is paused while it connects is paused at once", async (t) => {
  const { one, after, state, supervisor } = await setup(t, { connects: [fault("network")] });
  let aborted = false;
  one.port.connect = (_, signal) =>
    new Promise(() => {
      signal.addEventListener("abort", () => {
        aborted = true;
      });
    });
  await after(5000);
  assert.equal(state(), "connecting");
  await supervisor.pause("msgt");
  await after(0);
  assert.deepEqual([state(), aborted], ["paused", true]);
});

test("a connect that throws is a failure of the platform", async (t) => {
  const { one, after, supervisor } = await setup(t, { connects: [fault("network")] });
  one.port.connect = async () => {
    throw new Error("odd");
  };
  await after(5000);
  assert.deepEqual(
    [supervisor.statuses()[0]?.error_code, supervisor.statuses()[0]?.error_message],
    ["platform_error", "odd"],
  );
});

test("an adapter that does not let go is left to itself after five seconds", async (t) => {
  const { one, after, state } = await setup(t);
  one.port.disconnect = () => new Promise(() => undefined);
  one.reports?.lost({ code: "network", message: "gone" });
  await after(0);
  await after(5000);
  assert.equal(state(), "retrying");
  one.port.disconnect = async () => undefined;
});

test("what an adapter reports after it was let go changes nothing", async (t) => {
  const { one, after, state, supervisor } = await setup(t);
  const old = one.reports;
  old?.lost({ code: "network", message: "gone" });
  await after(0);
  await after(5000);
  old?.lost({ code: "auth_failed", message: "late" });
  await after(0);
  assert.deepEqual([state(), supervisor.statuses()[0]?.error_code], ["connected", null]);
});

test("a paused platform stays paused over a restart, and is connected when it is resumed", async (t) => {
  const disk = simDisk();
  const first = await setup(t, { disk });
  await first.supervisor.pause("msgt");
  await first.after(0);
  assert.deepEqual([first.state(0), first.state(1), first.supervisor.connected().length], ["paused", "connected", 1]);
  await first.stop();
  const second = await setup(t, { disk });
  assert.deepEqual([second.state(0), second.one.connected], ["paused", 0]);
  await second.supervisor.resume("msgt");
  await second.after(0);
  assert.equal(second.state(0), "connected");
});

test("pausing a platform that is not set up says which are", async (t) => {
  const { supervisor } = await setup(t);
  await assert.rejects(supervisor.pause("msgx"), /platform msgx is not configured/);
});

test("a poller of which three polls in a row do not finish is connected again; sends are no sign of life", async (t) => {
  const { one, after, state } = await setup(t, { connects: [{ connected: true, pollTimeoutMs: 30_000 }] });
  await after(89_999);
  one.reports?.polled();
  await after(44_999);
  one.reports?.polled();
  await after(3 * 45_000 - 1);
  assert.deepEqual([state(), one.connected], ["connected", 1]);
  await after(1);
  assert.equal(state(), "retrying");
  await after(5000);
  assert.equal(one.connected, 2);
});

test("the first poll after a connect has twice the time", async (t) => {
  const { after, state } = await setup(t, { connects: [{ connected: true, pollTimeoutMs: 30_000 }] });
  await after(90_000 + 2 * 45_000 - 1);
  assert.equal(state(), "connected");
  await after(1);
  assert.equal(state(), "retrying");
});

test("stopping leaves no timer and no connection behind", async (t) => {
  const { stop, clock, one, two, state } = await setup(t, { connects: [fault("network")] });
  await stop();
  assert.deepEqual([state(0), state(1), clock.waiting], ["disconnected", "disconnected", 0]);
  assert.ok(one.disconnected > 0 && two.disconnected > 0);
});

test("a credential is claimed before each connect and given back after it, and one that is in use is tried again every minute", async (t) => {
  const seen: string[] = [];
  let free = false;
  const claims: Claims = {
    take: async () => {
      seen.push(free ? "taken" : "refused");
      return free
        ? { release: () => seen.push("given back") }
        : { code: "token_in_use", message: "profile two uses it" };
    },
  };
  const { after, state, one, stop, supervisor } = await setup(t, { claims });
  assert.deepEqual(
    [state(), supervisor.statuses()[0]?.error_message, one.connected],
    ["fatal", "profile two uses it", 0],
  );
  free = true;
  await after(60_000);
  assert.deepEqual([state(), one.connected], ["connected", 1]);
  await stop();
  assert.deepEqual(seen, ["refused", "taken", "given back"]);
});

test("an adapter is replaced by one of the same tag, which is connected when the old one has let go, and no other is touched", async (t) => {
  const { supervisor, one, two, quiet, clock } = await setup(t);
  const next = simPlatform("msgt", () => clock.now(), toReceipt);
  await supervisor.replace("msgt", next.port);
  await quiet();
  assert.deepEqual([one.disconnected, next.connected, two.disconnected], [1, 1, 0]);
  assert.deepEqual(
    supervisor.connected().map((platform) => platform),
    [two.port, next.port],
  );
  await supervisor.replace("msgd", undefined);
  assert.deepEqual([two.disconnected, supervisor.statuses().length], [1, 1]);
});
