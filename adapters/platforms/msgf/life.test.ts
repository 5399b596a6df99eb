import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { refused, startMsgf } from "../../../fixtures/servers/msgf/server.js";
import { APP, type MsgfWorldOptions, messageEvent, msgfWorld } from "../../../fixtures/worlds/msgf-world.js";
import { capsOf } from "../../../lib/contracts/gateway/platform-traits.js";

async function connected(t: TestContext, options: MsgfWorldOptions = {}) {
  const world = await msgfWorld(t, options);
  await world.reaches("connected");
  return world;
}

test("a connection that is lost is made again, and what came meanwhile is received once", async (t) => {
  const { server, reaches, received, clock } = await connected(t);
  for (let times = 1; times <= 3; times++) {
    server.cut();
    await reaches("retrying");
    server.push(messageEvent(`om_${times}`, "hi"));
    clock.advance(600_000);
    await reaches("connected");
    assert.equal((await received(times)).length, times);
  }
  assert.equal(server.open(), 1);
});

test("an adapter that is let go leaves no connection, and can be connected again", async (t) => {
  const { server, platform, gateway, reaches } = await connected(t);
  await gateway.supervisor.pause("msgf");
  await reaches("paused");
  await server.until(() => server.open() === 0);
  await platform.disconnect();
  await gateway.supervisor.resume("msgf");
  await reaches("connected");
  assert.equal(server.open(), 1);
});

const FAULTS: readonly (readonly [
  what: string,
  call: string,
  fate: ReturnType<typeof refused>,
  state: "fatal" | "retrying",
  code: string,
])[] = [
  ["a secret that is wrong", "token", refused(10_014, "app secret invalid", 200), "fatal", "auth_failed"],
  ["an app that may open no connection", "endpoint", refused(514, "auth failed", 200), "fatal", "auth_failed"],
  ["a platform that is busy", "endpoint", refused(1, "system busy", 200), "retrying", "platform_error"],
  ["too many connections", "endpoint", refused(1_000_040_350, "exceed conn limit", 200), "fatal", "conflict"],
  ["a connection that breaks", "token", { do: "drop", after: false }, "retrying", "network"],
];

for (const [what, call, fate, state, code] of FAULTS) {
  test(`${what} is reported as ${code}, without the secret`, async (t) => {
    const server = await startMsgf(APP);
    server.next(call, fate);
    const { reaches } = await msgfWorld(t, { server });
    const status = await reaches(state);
    assert.equal(status.error_code, code);
    assert.doesNotMatch(JSON.stringify(status), new RegExp(APP.appSecret));
  });
}

test("a server that refuses the long connection itself is tried again later", async (t) => {
  const server = await startMsgf(APP);
  server.refuse(503);
  const { reaches, clock } = await msgfWorld(t, { server });
  assert.equal((await reaches("retrying")).error_code, "network");
  server.refuse(undefined);
  clock.advance(600_000);
  await reaches("connected");
});

test("no one at the address is reported as network", async (t) => {
  const { reaches } = await msgfWorld(t, { env: { MSGF_DOMAIN: "http://127.0.0.1:9" } });
  assert.equal((await reaches("retrying")).error_code, "network");
});

test("a missing package is named with its version and what installs it, and nothing is asked of the platform", async (t) => {
  const { reaches, server } = await msgfWorld(t, { load: () => Promise.reject(new Error("Cannot find module")) });
  const status = await reaches("fatal");
  assert.equal(status.error_code, "sdk_missing");
  assert.match(
    status.error_message ?? "",
    /@larksuiteoapi\/node-sdk 1\.74\.0.*npm install @larksuiteoapi\/node-sdk@1\.74\.0/,
  );
  assert.equal(server.calls.length, 0);
});

const SETTINGS: readonly (readonly [env: Record<string, string>, block: object, names: RegExp])[] = [
  [{ MSGF_APP_SECRET: "" }, {}, /MSGF_APP_SECRET/],
  [{ MSGF_CONNECTION_MODE: "socket" }, {}, /MSGF_CONNECTION_MODE/],
  [{ MSGF_DOMAIN: "http://chat.example" }, {}, /MSGF_DOMAIN is not encrypted/],
  [{ MSGF_DOMAIN: "elsewhere" }, {}, /MSGF_DOMAIN/],
  [{ MSGF_GROUP_POLICY: "some" }, {}, /MSGF_GROUP_POLICY/],
  [{ MSGF_ALLOW_BOTS: "few" }, {}, /MSGF_ALLOW_BOTS/],
  [{ MSGF_REQUIRE_MENTION: "perhaps" }, {}, /MSGF_REQUIRE_MENTION/],
  [{}, { group_rules: { oc_x: { policy: "some" } } }, /group_rules\.oc_x\.policy/],
  [
    { MSGF_CONNECTION_MODE: "webhook", MSGF_VERIFICATION_TOKEN: "T", MSGF_WEBHOOK_PATH: "hook" },
    {},
    /MSGF_WEBHOOK_PATH/,
  ],
];

for (const [env, block, names] of SETTINGS) {
  test(`a setting that cannot be meant is named: ${names.source}`, async (t) => {
    const { reaches, server } = await msgfWorld(t, { env, block: { ...block } });
    const status = await reaches("fatal");
    assert.equal(status.error_code, "config_invalid");
    assert.match(status.error_message ?? "", names);
    assert.equal(server.calls.length, 0);
  });
}

test("the adapter says what the platform can do", async (t) => {
  const { platform } = await connected(t);
  assert.deepEqual([platform.caps, platform.account], [capsOf("msgf"), APP.appId]);
});
