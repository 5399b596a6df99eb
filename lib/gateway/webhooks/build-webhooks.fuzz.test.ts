import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { type TestContext, test } from "node:test";
import { comparedWith } from "../../../fixtures/hostile/compared.js";
import { assertWithstood, runHostile, runOracle } from "../../../fixtures/hostile/run.js";
import { type Header, type HostileTarget, inHeader, JSON_TYPE } from "../../../fixtures/hostile/target.js";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { WEBHOOK_SECRET, webhookWorld } from "../../../fixtures/worlds/webhook-world.js";

type Sign = (secret: string) => (body: Buffer) => string;

const hex: Sign = (secret) => (body) => createHmac("sha256", secret).update(body).digest("hex");

async function listening(t: TestContext) {
  const config = `webhooks:\n  routes:\n    ci: {secret: '${WEBHOOK_SECRET}', rate_limit: 100000, deliver: msgt, deliver_only: true, prompt: 'x {a} {type}'}\n`;
  const clock = manualClock();
  const world = await webhookWorld(t, { config, clock });
  const target = (sign: Sign, header: string, headers: readonly Header[] = []): HostileTarget => ({
    port: Number(new URL(world.url()).port),
    path: "/webhooks/ci",
    carry: inHeader(header),
    headers: [JSON_TYPE, ...headers],
    good: Buffer.from('{"a":1,"type":"forged"}'),
    sign: sign(WEBHOOK_SECRET),
    foreign: sign("another"),
  });
  /** Nothing was sent, and what is right still is. */
  const goesOn = async () => {
    assert.equal(
      world.platform.ledger.some(({ text }) => text.includes("forged")),
      false,
    );
    assert.equal((await world.post("ci", { a: 1 })).status, 200);
  };
  return { target, goesOn, now: () => clock.now() };
}

test("two hundred hostile posts to the server of webhooks: none is let in, none breaks anything, and it goes on", async (t) => {
  const { target, goesOn } = await listening(t);
  assertWithstood(await runHostile(target(hex, "X-Webhook-Signature")));
  await goesOn();
});

const SCHEMES: readonly {
  readonly header: string;
  readonly sign: (seconds: string) => Sign;
  readonly stamped?: true;
}[] = [
  { header: "X-Webhook-Signature", sign: () => hex },
  { header: "X-Hub-Signature-256", sign: () => (secret) => (body) => `sha256=${hex(secret)(body)}` },
  { header: "X-Gitlab-Token", sign: () => (secret) => () => secret },
  {
    header: "Svix-Signature",
    stamped: true,
    sign: (seconds) => (secret) => (body) => {
      const said = createHmac("sha256", secret).update(`m1.${seconds}.`).update(body);
      return `v1,${said.digest("base64")}`;
    },
  },
];

for (const { header, sign, stamped } of SCHEMES) {
  test(`a webhook whose ${header} is almost right is refused, whatever of it is wrong, by a comparison of digests`, async (t) => {
    const { target, goesOn, now } = await listening(t);
    const seconds = String(Math.floor(now() / 1000));
    const stamps: readonly Header[] = [
      ["Svix-Id", "m1"],
      ["Svix-Timestamp", seconds],
    ];
    const given = target(sign(seconds), header, stamped === true ? stamps : []);
    assertWithstood(await runOracle(given), 100);
    assert.equal(await comparedWith(t, given, "almost"), true);
    await goesOn();
  });
}
