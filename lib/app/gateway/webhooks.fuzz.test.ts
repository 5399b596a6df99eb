import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { assertWithstood, runHostile } from "../../../fixtures/hostile/run.js";
import { WEBHOOK_SECRET, webhookWorld } from "../../../fixtures/webhook-world.js";

const hex = (secret: string) => (body: Buffer) => createHmac("sha256", secret).update(body).digest("hex");

test("two hundred hostile posts to the server of webhooks: none is let in, none breaks anything, and it goes on", async (t) => {
  const config = `webhooks:\n  routes:\n    ci: {secret: '${WEBHOOK_SECRET}', rate_limit: 100000, deliver: msgt, deliver_only: true, prompt: 'x {a} {type}'}\n`;
  const world = await webhookWorld(t, { config });
  const target = { port: Number(new URL(world.url()).port), path: "/webhooks/ci", header: "X-Webhook-Signature" };
  const good = Buffer.from('{"a":1,"type":"forged"}');
  assertWithstood(await runHostile({ ...target, good, sign: hex(WEBHOOK_SECRET), foreign: hex("another") }));
  assert.equal(
    world.platform.ledger.some(({ text }) => text.includes("forged")),
    false,
  );
  assert.equal((await world.post("ci", { a: 1 })).status, 200);
});
