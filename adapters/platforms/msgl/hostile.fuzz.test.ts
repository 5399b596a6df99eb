import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { type TestContext, test } from "node:test";
import { comparedWith } from "../../../fixtures/hostile/compared.js";
import { assertWithstood, runHostile, runOracle } from "../../../fixtures/hostile/run.js";
import { type HostileTarget, inHeader } from "../../../fixtures/hostile/target.js";
import { proves } from "../../../fixtures/requirements.js";
import { MSGL_SECRET, msglWorld } from "../../../fixtures/worlds/msgl-world.js";

const by = (secret: string) => (body: Buffer) => createHmac("sha256", secret).update(body).digest("base64");

async function target(t: TestContext) {
  const { listens, server, gateway, received } = await msglWorld(t);
  const hostile: HostileTarget = {
    port: Number(new URL(await listens()).port),
    path: "/msgl/webhook",
    carry: inHeader("X-Line-Signature"),
    good: Buffer.from(JSON.stringify({ destination: "U", events: [server.text("forged")] })),
    sign: by(MSGL_SECRET),
    foreign: by("another"),
  };
  /** Nothing came in, and what is right still does. */
  const goesOn = async () => {
    assert.deepEqual(await gateway.inbox.received(5), []);
    assert.equal((await server.deliver(server.text("hi"))).status, 200);
    assert.equal((await received(1)).length, 1);
  };
  return { hostile, goesOn };
}

test("two hundred hostile posts to the webhook of MSGL: none is let in, none breaks anything, and it goes on", async (t) => {
  proves(t, "msgl.body-cap", "msgl.limit.body");
  const { hostile, goesOn } = await target(t);
  assertWithstood(await runHostile(hostile));
  await goesOn();
});

test("a signature of MSGL that is almost right is refused, whatever of it is wrong, by a comparison of digests", async (t) => {
  const { hostile, goesOn } = await target(t);
  assertWithstood(await runOracle(hostile), 100);
  assert.equal(await comparedWith(t, hostile, "almost"), true);
  await goesOn();
});
