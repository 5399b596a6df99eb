import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { status } from "@grpc/grpc-js";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { countingIds } from "../../../fixtures/ports/ids.js";
import { startMsgg } from "../../../fixtures/servers/msgg/server.js";
import { quiet } from "../../../fixtures/sim/gateway-world.js";
import { msggEnv, msggWorld } from "../../../fixtures/worlds/msgg-world.js";
import { silentLog } from "../../../lib/base/log/log.js";
import type { Acceptance, Inlet } from "../../../lib/contracts/board/platform-tag.js";
import type { AdapterFault } from "../../../lib/contracts/gateway/platform.js";
import { platformSettings } from "../../../lib/gateway/settings/platform-settings.js";
import { createNet } from "../../../lib/safety/net/net.js";
import { createMsgg, type MsggDeps } from "./platform.js";

const said = (name: string) => ({
  type: "MESSAGE",
  message: {
    name: `spaces/G/messages/${name}`,
    sender: { name: "users/1", email: "u@x.org", type: "HUMAN" },
    text: name,
  },
  space: { name: "spaces/G", spaceType: "SPACE" },
});

interface AloneOptions {
  readonly accept?: Inlet["accept"];
  readonly env?: Readonly<Record<string, string>>;
  readonly load?: MsggDeps["load"];
}

/** An adapter alone, with an inlet of the test. */
async function alone(t: TestContext, { accept = async () => "accepted", env = {}, load }: AloneOptions = {}) {
  const server = await startMsgg();
  const clock = manualClock();
  const net = createNet({ clock, allowPrivate: () => true });
  const inlet: Inlet = {
    accept,
    acceptBatch: async () => ({ result: "busy" }),
    cursor: async () => undefined,
    connected: async () => ({ first: true, at: clock.now() }),
  };
  const source = { env: { ...msggEnv(server), ...env }, raw: () => undefined };
  const settings = platformSettings("msgg", source);
  const others = (prefix: string) => platformSettings(prefix, source);
  const platform = createMsgg({
    settings,
    others,
    inlet,
    net,
    clock,
    log: silentLog,
    ids: countingIds(1),
    home: "/nowhere",
    backoff: { firstMs: 5, longestMs: 10 },
    ...(load === undefined ? {} : { load }),
  });
  const lost: AdapterFault[] = [];
  let told: () => void = () => undefined;
  const loss = new Promise<void>((resolve) => {
    told = resolve;
  });
  const reports = {
    polled: () => undefined,
    lost: (fault: AdapterFault) => {
      lost.push(fault);
      told();
    },
  };
  t.after(async () => {
    await platform.disconnect();
    await net.close();
    await server.close();
  });
  const connect = () => platform.connect(reports, new AbortController().signal);
  return { server, clock, platform, connect, lost, loss };
}

const REFUSALS: readonly (readonly [code: number, fault: string, words: RegExp])[] = [
  [status.PERMISSION_DENIED, "permission_denied", /role Pub\/Sub Subscriber/],
  [status.UNAUTHENTICATED, "auth_failed", /MSGG_SERVICE_ACCOUNT_JSON/],
  [status.NOT_FOUND, "config_invalid", /MSGG_SUBSCRIPTION_NAME/],
  [status.UNAVAILABLE, "network", /cannot be reached/],
];

for (const [code, fault, words] of REFUSALS) {
  test(`a subscription that answers with ${status[code]} is ${fault}, with what to do`, async (t) => {
    const { server, connect } = await alone(t);
    server.pubsub.refuse(code);
    const answer = await connect();
    assert.equal(!answer.connected && answer.code, fault);
    assert.match(answer.connected ? "" : answer.message, words);
  });
}

test("a server that is not there is a network fault", async (t) => {
  const { connect } = await alone(t, { env: { PUBSUB_EMULATOR_HOST: "127.0.0.1:1" } });
  const answer = await connect();
  assert.equal(!answer.connected && answer.code, "network");
});

test("a package that is not installed is named with its version and how to install it", async (t) => {
  const absent = Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
  const { connect } = await alone(t, { load: () => Promise.reject(absent) });
  const answer = await connect();
  assert.equal(!answer.connected && answer.code, "sdk_missing");
  assert.match(
    answer.connected ? "" : answer.message,
    /pubsub 5\.3\.1.*npm install @google-cloud\/pubsub@5\.3\.1 google-auth-library@10\.9\.1/,
  );
});

test("a key file that is not there, and a key that the platform refuses, say so", async (t) => {
  const missing = await (await alone(t, { env: { MSGG_SERVICE_ACCOUNT_JSON: "/nowhere/key.json" } })).connect();
  assert.equal(!missing.connected && missing.code, "config_invalid");
  const { server, connect } = await alone(t);
  server.always("token", { do: "answer", status: 400, body: { error: "invalid_grant" } });
  const refused = await connect();
  assert.equal(!refused.connected && refused.code, "auth_failed");
  assert.equal(JSON.stringify(refused).includes("PRIVATE KEY"), false);
});

test("nothing is acknowledged before it is stored", async (t) => {
  let store: (answer: Acceptance) => void = () => undefined;
  let came: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    came = resolve;
  });
  const accept = () => {
    came();
    return new Promise<Acceptance>((resolve) => {
      store = resolve;
    });
  };
  const { server, connect } = await alone(t, { accept });
  await connect();
  server.pubsub.publish(said("one"));
  await asked;
  await quiet();
  assert.equal(server.pubsub.acked().length, 0);
  store("accepted");
  await server.pubsub.until(() => server.pubsub.acked().length === 1);
});

test("an inbox that is full gives a message back after five seconds, and takes it when it comes again", async (t) => {
  const answers: Acceptance[] = ["busy", "accepted"];
  const { server, connect, clock } = await alone(t, { accept: async () => answers.shift() ?? "duplicate" });
  await connect();
  server.pubsub.publish(said("one"));
  await clock.waits();
  assert.deepEqual(server.pubsub.nacked(), []);
  clock.advance(5000);
  await server.pubsub.until(() => server.pubsub.acked().length === 1);
  assert.equal(server.pubsub.nacked().length, 1);
});

test("an adapter that is let go while a message waits gives it back at once, and can be connected again", async (t) => {
  const { server, connect, platform, clock } = await alone(t, { accept: async () => "busy" });
  await connect();
  const id = server.pubsub.publish(said("one"));
  await clock.waits();
  await platform.disconnect();
  await platform.disconnect();
  assert.ok(server.pubsub.nacked().includes(id));
  assert.deepEqual([server.pubsub.streams(), clock.waiting], [0, 0]);
  assert.equal((await connect()).connected, true);
});

test("streams that end again and again are opened again ten times, then the connection is lost", async (t) => {
  const { server, connect, lost, loss } = await alone(t);
  await connect();
  server.pubsub.refuse(status.UNAVAILABLE);
  server.pubsub.breakStreams(status.UNAVAILABLE);
  await loss;
  assert.equal(lost[0]?.code, "network");
  const opened = server.pubsub.calls.filter(({ method }) => method === "StreamingPull").length;
  assert.equal(opened, 10);
});

test("a right that is taken away while it is connected is told at once", async (t) => {
  const { server, connect, lost, loss } = await alone(t);
  await connect();
  server.pubsub.breakStreams(status.PERMISSION_DENIED);
  await loss;
  assert.equal(lost[0]?.code, "permission_denied");
});

test("after a storm of broken streams every message was received once", async (t) => {
  const world = await msggWorld(t);
  const { server, received } = world;
  await world.reaches("connected");
  const names = Array.from({ length: 12 }, (_, at) => `m${at}`);
  for (const [at, name] of names.entries()) {
    server.pubsub.publish(said(name));
    if (at % 6 === 0) {
      server.pubsub.breakStreams(status.UNAVAILABLE);
      await server.pubsub.until(() => server.pubsub.streams() === 1);
      server.pubsub.expireLeases();
    }
  }
  await server.pubsub.until(() => server.pubsub.waiting().length === 0);
  const rows = await received(names.length);
  assert.deepEqual(rows.map((row) => row.event_id.slice("spaces/G/messages/".length)).sort(), [...names].sort());
});

test("GW-106: a message that was pulled and not stored when the program ended comes again and is stored once", async (t) => {
  let asked: () => void = () => undefined;
  let ended: () => void = () => undefined;
  const pulled = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const accept = () => {
    asked();
    return new Promise<Acceptance>((resolve) => {
      ended = () => resolve("busy");
    });
  };
  const first = await alone(t, { accept });
  await first.connect();
  const id = first.server.pubsub.publish(said("one"));
  await pulled;
  first.server.pubsub.forget(); // the program is killed here
  const world = await msggWorld(t, { server: first.server });
  await world.reaches("connected");
  first.server.pubsub.expireLeases();
  assert.equal((await world.received(1)).length, 1);
  await first.server.pubsub.until(() => first.server.pubsub.acked().length === 1);
  assert.equal(first.server.pubsub.deliveries(id) >= 2, true);
  first.server.pubsub.expireLeases();
  await quiet();
  assert.equal((await world.received(1)).length, 1);
  ended();
});
