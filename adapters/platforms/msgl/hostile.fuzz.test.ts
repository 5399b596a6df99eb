import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { assertWithstood, runHostile } from "../../../fixtures/hostile/run.js";
import { MSGL_SECRET, msglWorld } from "../../../fixtures/msgl-world.js";
import { proves } from "../../../fixtures/requirements.js";

const by = (secret: string) => (body: Buffer) => createHmac("sha256", secret).update(body).digest("base64");

test("two hundred hostile posts to the webhook: none is let in, none breaks anything, and it goes on", async (t) => {
  proves(t, "msgl.body-cap", "msgl.limit.body");
  const { listens, server, gateway, received } = await msglWorld(t);
  const url = new URL(await listens());
  const good = Buffer.from(JSON.stringify({ destination: "U", events: [server.text("forged")] }));
  const target = { port: Number(url.port), path: "/msgl/webhook", header: "X-Line-Signature", good };
  assertWithstood(await runHostile({ ...target, sign: by(MSGL_SECRET), foreign: by("another") }));
  assert.deepEqual(await gateway.inbox.received(5), []);
  assert.equal((await server.deliver(server.text("hi"))).status, 200);
  assert.equal((await received(1)).length, 1);
});
