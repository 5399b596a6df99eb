import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { silentLog } from "../../base/log/log.js";
import { createHooks } from "../../http/hooks.js";
import { isNetwork } from "../../safety/net/networks.js";
import { platformSettings } from "../settings/platform-settings.js";
import { type LifecycleEvent, type Notification, notificationRoutes } from "./graph-notifications.js";
import { readListenSettings } from "./listen-settings.js";

const item = (clientState: string, id = "r1") => ({
  subscriptionId: "s1",
  clientState,
  resource: "communications/onlineMeetings/m1",
  changeType: "created",
  resourceData: { id },
});

async function listening(t: TestContext, how: { readonly busy?: boolean; readonly cidrs?: readonly string[] } = {}) {
  const { busy = false, cidrs = [] } = how;
  const taken: Notification[] = [];
  const told: LifecycleEvent[] = [];
  const routes = notificationRoutes({
    clientState: () => "right",
    cidrs: () => cidrs,
    log: silentLog,
    lifecycle: async (events) => {
      if (busy) return "busy";
      told.push(...events);
      return "stored";
    },
    take: async (found) => {
      if (busy) return "busy";
      taken.push(...found);
      return "stored";
    },
  });
  const place = { owner: "msgraph", host: "127.0.0.1", port: 0, portSetting: "MSGRAPH_WEBHOOK_PORT", routes };
  const listener = await createHooks({ clock: manualClock(), log: silentLog })(place);
  assert.ok("close" in listener);
  t.after(() => listener.close());
  const url = `http://${listener.address}/msgraph/webhook`;
  const post = async (body: unknown) =>
    (await fetch(url, { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) })).status;
  return { url, post, taken, told };
}

test("GW-114: a wrong client state in all items is 403, in one of two 202, and only the right one is taken", async (t) => {
  const { post, taken } = await listening(t);
  assert.equal(await post({ value: [item("wrong"), item("")] }), 403);
  assert.deepEqual(taken, []);
  assert.equal(await post({ value: [item("wrong", "a"), item("right", "b")] }), 202);
  assert.deepEqual(
    taken.map(({ subscription, resource, change }) => [subscription, resource, change]),
    [["s1", "communications/onlineMeetings/m1", "created"]],
  );
});

test("a validation token is answered as it is, and nothing else is asked of who sends it", async (t) => {
  const { url } = await listening(t);
  for (const method of ["GET", "POST"]) {
    const answer = await fetch(`${url}?validationToken=${encodeURIComponent("a b<c>")}`, { method });
    assert.deepEqual([answer.status, await answer.text()], [200, "a b<c>"]);
    assert.match(answer.headers.get("content-type") ?? "", /^text\/plain/);
  }
  assert.equal((await fetch(`${url}?validationToken=${"x".repeat(2049)}`)).status, 400);
  assert.equal((await fetch(url)).status, 400);
});

test("bodies that are no notifications are 400, and what cannot be stored is to come again", async (t) => {
  const { post } = await listening(t);
  for (const body of [
    "",
    "{",
    "[]",
    "{}",
    { value: [] },
    { value: [{}] },
    { value: "x" },
    '{"__proto__":{"value":[]}}',
  ]) {
    assert.equal(await post(body), 400, JSON.stringify(body));
  }
  const full = await listening(t, { busy: true });
  assert.equal(await full.post({ value: [item("right")] }), 503);
});

test("only networks that may call are heard", async (t) => {
  assert.equal(
    await (await listening(t, { cidrs: ["10.0.0.0/8", "2001:db8::/32"] })).post({ value: [item("right")] }),
    403,
  );
  assert.equal(await (await listening(t, { cidrs: ["127.0.0.0/8"] })).post({ value: [item("right")] }), 202);
  assert.equal(await (await listening(t, { cidrs: ["127.0.0.1"] })).post({ value: [item("right")] }), 202);
  for (const text of ["10.0.0.0/33", "x", "", "10.0.0/8", "::/129", "1.2.3.4/8/9"])
    assert.equal(isNetwork(text), false, text);
});

const WRONG: readonly (readonly [env: Record<string, string>, names: RegExp])[] = [
  [{ MSGRAPH_WEBHOOK_HOST: "0.0.0.0", MSGRAPH_WEBHOOK_CLIENT_STATE: "x" }, /MSGRAPH_WEBHOOK_ALLOWED_CIDRS/],
  [{ MSGRAPH_WEBHOOK_ALLOWED_CIDRS: "everybody", MSGRAPH_WEBHOOK_CLIENT_STATE: "x" }, /everybody/],
  [{}, /MSGRAPH_WEBHOOK_CLIENT_STATE/],
];

for (const [env, names] of WRONG) {
  test(`${JSON.stringify(env)} is a problem that names what is missing`, () => {
    const source = { env: { MSGRAPH_WEBHOOK_ENABLED: "true", ...env }, raw: () => undefined };
    assert.throws(() => readListenSettings(platformSettings("msgraph", source)), names);
  });
}

test("what the graph says of a subscription itself is taken like a change, and only with the right client state", async (t) => {
  const { post, taken, told } = await listening(t);
  const event = (clientState: string, lifecycleEvent: string) => ({
    subscriptionId: "s1",
    clientState,
    lifecycleEvent,
    tenantId: "t",
  });
  assert.equal(await post({ value: [event("wrong", "subscriptionRemoved")] }), 403);
  assert.equal(await post({ value: [event("right", "reauthorizationRequired"), item("right")] }), 202);
  assert.deepEqual(told, [{ subscription: "s1", event: "reauthorizationRequired" }]);
  assert.equal(taken.length, 1);
  const { post: late } = await listening(t, { busy: true });
  assert.equal(await late({ value: [event("right", "missed")] }), 503);
});
