import assert from "node:assert/strict";
import { createSign, generateKeyPairSync } from "node:crypto";
import { type TestContext, test } from "node:test";
import { assertWithstood, runHostile, runOracle } from "../../../fixtures/hostile/run.js";
import { type HostileTarget, inHeader } from "../../../fixtures/hostile/target.js";
import { msgwWorld } from "../../../fixtures/worlds/msgw-world.js";

async function target(t: TestContext, env: Readonly<Record<string, string>> = {}) {
  const world = await msgwWorld(t, { env });
  const { listen } = await world.reaches("connected");
  const { url } = world.server;
  const activity = (id: string) => ({
    type: "message",
    id,
    timestamp: "2026-06-01T00:00:00Z",
    serviceUrl: url,
    channelId: "msteams",
    text: "forged",
    from: { id: "29:x" },
    conversation: { id: "19:dm", conversationType: "personal" },
    recipient: { id: "28:bot" },
  });
  const token = world.server.token();
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const said = token.slice(0, token.lastIndexOf("."));
  const foreign = `${said}.${createSign("RSA-SHA256").update(said).sign(privateKey).toString("base64url")}`;
  const hostile: HostileTarget = {
    port: Number(new URL(`http://${listen}`).port),
    path: "/api/messages",
    carry: inHeader("Authorization"),
    good: Buffer.from(JSON.stringify(activity("a1"))),
    sign: () => `Bearer ${token}`,
    foreign: () => `Bearer ${foreign}`,
    serves: ["GET", "HEAD"],
  };
  /** Nothing came in, and what is right still does. */
  const goesOn = async () => {
    assert.deepEqual(await world.gateway.inbox.received(5), []);
    assert.equal((await world.server.deliver(listen ?? "", activity("a2"), { token })).status, 200);
    assert.equal((await world.received(1)).length, 1);
  };
  return { hostile, goesOn };
}

test("two hundred hostile posts to the listener of MSGW: none is let in, none breaks anything, and it goes on", async (t) => {
  const { hostile, goesOn } = await target(t);
  assertWithstood(await runHostile(hostile));
  await goesOn();
});

test("a token of MSGW that is almost right is refused, whatever of it is wrong, and however its last character is written", async (t) => {
  const { hostile, goesOn } = await target(t);
  assertWithstood(await runOracle(hostile), 100);
  await goesOn();
});

test("where the development switch lets everybody of this machine in, hostile bodies break nothing", async (t) => {
  const { hostile } = await target(t, { MSGW_DEV_UNAUTHENTICATED: "true" });
  const result = await runHostile(hostile);
  assertWithstood({ ...result, letIn: [] });
  assert.deepEqual(
    result.letIn.filter(
      (name) => /signed: |bytes|chunks|length|compressed|the path/.test(name) && !/signature/.test(name),
    ),
    [],
  );
});
