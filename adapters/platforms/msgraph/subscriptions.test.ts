import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type ManualClock, manualClock } from "../../../fixtures/ports/clock.js";
import { SimDisk } from "../../../fixtures/ports/disk.js";
import { countingIds } from "../../../fixtures/ports/ids.js";
import { CLIENT, type MsgwServer, startMsgw } from "../../../fixtures/servers/msgw/server.js";
import { STATE_SPEC } from "../../../fixtures/sim/gateway-world.js";
import { silentLog } from "../../../lib/base/log/log.js";
import { testSignal } from "../../../lib/base/process/signal.js";
import { Secret } from "../../../lib/base/secret.js";
import type { KeptSubscription } from "../../../lib/contracts/gateway/meetings-api.js";
import { notificationRoutes } from "../../../lib/gateway/meetings/graph-notifications.js";
import { createSubscriptions } from "../../../lib/gateway/meetings/meeting-subscriptions.js";
import { createHooks } from "../../../lib/http/hooks.js";
import { createNet } from "../../../lib/safety/net/net.js";
import { openStore } from "../../../storage/sqljs/store-open.js";
import { createGraph } from "./graph.js";
import { graphSubscriptions } from "./subscriptions.js";

const HOUR = 3_600_000;
const RESOURCE = "communications/onlineMeetings/getAllTranscripts";
const signal = new AbortController().signal;

interface Given {
  readonly disk?: SimDisk;
  readonly clock?: ManualClock;
  readonly server?: MsgwServer;
}

/** Subscriptions of a home at a graph that runs, with a listener that the graph can reach. */
async function world(t: TestContext, { disk = new SimDisk(), clock = manualClock(), server: given }: Given = {}) {
  const server = given ?? (await startMsgw({ now: clock.now }));
  const store = await openStore(STATE_SPEC, { disk, clock, ids: countingIds(1), host: "inline", log: silentLog });
  const net = createNet({ clock, allowPrivate: () => true });
  const client = {
    url: `${server.url}/${CLIENT.tenant}/oauth2/v2.0/token`,
    id: CLIENT.id,
    secret: new Secret(CLIENT.secret),
  };
  const graph = createGraph({ base: server.url, token: undefined, client }, { net, clock });
  const maintained = testSignal<readonly KeptSubscription[]>();
  const ports = graphSubscriptions(
    () => graph,
    () => "right",
  );
  const subscriptions = createSubscriptions({ store, clock, log: silentLog, ports, signals: { maintained } });
  const routes = notificationRoutes({
    clientState: () => "right",
    cidrs: () => [],
    log: silentLog,
    take: async () => "stored" as const,
    lifecycle: subscriptions.told,
  });
  const listener = await createHooks({ clock, log: silentLog })({
    owner: "msgraph",
    host: "127.0.0.1",
    port: 0,
    portSetting: "P",
    routes,
  });
  assert.ok("close" in listener);
  const url = `http://${listener.address}/msgraph/webhook`;
  const stop = async () => {
    await subscriptions.service.stop(0);
    await listener.close();
    await net.close();
    await store.close();
  };
  t.after(async () => {
    await stop().catch(() => undefined); // some tests have stopped it
    await server.close();
  });
  const subscribe = (hours = 48) =>
    subscriptions.subscribe({ resource: RESOURCE, changeType: "created", url, lasts: hours * HOUR }, signal);
  const left = (id: string) =>
    (Date.parse(server.subscriptions.get(id)?.expirationDateTime ?? "") - clock.now()) / HOUR;
  return { server, clock, disk, subscriptions, maintained, url, subscribe, left, stop };
}

test("a subscription is made with the client state, once the graph has seen that the listener answers", async (t) => {
  const { server, subscribe, subscriptions, url } = await world(t);
  const { id } = await subscribe();
  const held = server.subscriptions.get(id);
  assert.deepEqual([held?.resource, held?.clientState, held?.notificationUrl], [RESOURCE, "right", url]);
  assert.equal((await subscriptions.list()).length, 1);
  const elsewhere = { resource: RESOURCE, changeType: "updated", url: "http://127.0.0.1:9/nobody", lasts: HOUR };
  await assert.rejects(subscriptions.subscribe(elsewhere, signal), /validation request failed/);
  assert.equal((await subscriptions.list()).length, 1);
});

test("what ends within a day is renewed by a day, and nothing else", async (t) => {
  const { clock, subscribe, subscriptions, left } = await world(t);
  const { id } = await subscribe();
  assert.deepEqual(
    (await subscriptions.maintain(signal)).map(({ action }) => action),
    ["kept"],
  );
  clock.advance(25 * HOUR);
  assert.deepEqual(
    (await subscriptions.maintain(signal)).map(({ action }) => action),
    ["renewed"],
  );
  assert.equal(left(id), 47);
});

test("a gateway looks after subscriptions every hour", async (t) => {
  const { clock, subscribe, subscriptions, maintained, left } = await world(t);
  const { id } = await subscribe(25.5);
  await subscriptions.service.start();
  assert.equal((await maintained.next())[0]?.action, "kept");
  for (const action of ["kept", "renewed"]) {
    await clock.waits();
    clock.advance(HOUR + 1);
    assert.equal((await maintained.next())[0]?.action, action);
  }
  assert.ok(left(id) > 46);
});

for (const status of [404, 410]) {
  test(`a subscription that the graph answers with ${status} is made again`, async (t) => {
    const { server, clock, subscribe, subscriptions } = await world(t);
    const { id } = await subscribe();
    clock.advance(49 * HOUR);
    if (status === 410)
      server.next("subscription", { do: "answer", status, body: { error: { code: "Gone", message: "gone" } } });
    const [kept] = await subscriptions.maintain(signal);
    assert.equal(kept?.action, "created");
    assert.notEqual(kept?.id, id);
    assert.deepEqual([...server.subscriptions.keys()], [kept?.id]);
    assert.deepEqual(
      (await subscriptions.list()).map((one) => [one.id, one.state]),
      [[kept?.id, "active"]],
    );
  });
}

test("what the graph says of the life of a subscription is done at once, also when the gateway ended in between", async (t) => {
  const first = await world(t);
  const { id } = await first.subscribe();
  const to = first.url;
  const said = { lifecycleEvent: "subscriptionRemoved" };
  assert.equal(await first.server.tell(id, said), 202);
  first.server.subscriptions.delete(id);
  await first.stop();
  const second = await world(t, { disk: first.disk, clock: first.clock, server: first.server });
  // The listener has another port now: the graph cannot reach the one that it was told of.
  assert.notEqual(second.url, to);
  await second.subscriptions.service.start();
  assert.deepEqual(
    (await second.maintained.next()).map(({ action }) => action),
    ["failed"],
  );
  assert.deepEqual(
    (await second.subscriptions.list()).map(({ state }) => state),
    ["removed"],
  );
});

test("a subscription that the graph wants renewed is renewed without waiting for its hour", async (t) => {
  const { server, subscribe, subscriptions, maintained, left } = await world(t);
  const { id } = await subscribe();
  await subscriptions.service.start();
  await maintained.next();
  assert.equal(await server.tell(id, { lifecycleEvent: "reauthorizationRequired" }), 202);
  assert.equal((await maintained.next())[0]?.action, "renewed");
  assert.equal(left(id), 70);
  assert.equal(await server.tell(id, { lifecycleEvent: "reauthorizationRequired", clientState: "wrong" }), 403);
});

test("a subscription whose making was cut off is taken over, so that there is one", async (t) => {
  const { server, subscribe, subscriptions } = await world(t);
  // Of the two calls the second one makes it.
  server.next("subscription", { do: "answer", status: 200, body: { value: [] } }, { do: "drop", after: true });
  await assert.rejects(subscribe());
  assert.equal(server.subscriptions.size, 1);
  const { id } = await subscribe();
  assert.deepEqual([...server.subscriptions.keys()], [id]);
  assert.equal((await subscriptions.list()).length, 1);
});

test("a subscription that cannot be kept says why, and is kept as soon as it can be", async (t) => {
  const { server, clock, subscribe, subscriptions } = await world(t);
  await subscribe();
  clock.advance(30 * HOUR);
  const refused = { do: "answer", status: 403, body: { error: { code: "Forbidden", message: "no consent" } } } as const;
  server.next("subscription", refused);
  const [failed] = await subscriptions.maintain(signal);
  assert.equal(failed?.action, "failed");
  assert.match(failed?.error ?? "", /403: Forbidden: no consent/);
  assert.equal((await subscriptions.list())[0]?.state, "failing");
  assert.equal((await subscriptions.maintain(signal))[0]?.action, "renewed");
});

test("a subscription is deleted here also when the graph has it no longer", async (t) => {
  const { server, subscribe, subscriptions } = await world(t);
  const { id } = await subscribe();
  server.subscriptions.delete(id);
  await subscriptions.remove(id, signal);
  assert.deepEqual(await subscriptions.list(), []);
  await assert.rejects(subscriptions.remove(id, signal), /no such subscription/);
});

test("a subscription that is said to be gone while the graph still has it is taken over at once", async (t) => {
  const { server, subscribe, subscriptions, maintained } = await world(t);
  const { id } = await subscribe();
  await subscriptions.service.start();
  await maintained.next();
  assert.equal(await server.tell(id, { lifecycleEvent: "subscriptionRemoved" }), 202);
  assert.equal((await maintained.next())[0]?.action, "created");
  assert.deepEqual(
    (await subscriptions.list()).map((one) => [one.id, one.state]),
    [[id, "active"]],
  );
  assert.deepEqual([...server.subscriptions.keys()], [id]);
});
