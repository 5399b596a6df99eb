import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { comparedWith } from "../../../fixtures/hostile/compared.js";
import { assertWithstood, runHostile, runOracle } from "../../../fixtures/hostile/run.js";
import { inHeader } from "../../../fixtures/hostile/target.js";
import { msgtWorld } from "../../../fixtures/worlds/msgt-world.js";

const SECRET = "s3cret_of-the-webhook";
const HEADER = "X-Telegram-Bot-Api-Secret-Token";

async function target(t: TestContext) {
  const env = { MSGT_WEBHOOK_URL: "https://bot.example/hook/msgt", MSGT_WEBHOOK_SECRET: SECRET };
  const world = await msgtWorld(t, { env: { ...env, MSGT_WEBHOOK_HOST: "127.0.0.1", MSGT_WEBHOOK_PORT: "0" } });
  const { listen } = await world.reaches("connected");
  const url = `http://${listen}/hook/msgt`;
  const message = {
    message_id: 5,
    date: 0,
    chat: { id: 42, type: "private" },
    from: { id: 42, is_bot: false, first_name: "A" },
  };
  const update = (id: number, text: string) => JSON.stringify({ update_id: id, message: { ...message, text } });
  /** Nothing came in, and what is right still does. */
  const goesOn = async () => {
    assert.deepEqual(await world.gateway.inbox.received(5), []);
    assert.equal(
      (await fetch(url, { method: "POST", headers: { [HEADER]: SECRET }, body: update(9, "hi") })).status,
      200,
    );
    assert.equal((await world.received(1)).length, 1);
  };
  const hostile = {
    port: Number(new URL(url).port),
    path: "/hook/msgt",
    carry: inHeader(HEADER),
    good: Buffer.from(update(1, "forged")),
  };
  return { goesOn, hostile: { ...hostile, sign: () => SECRET, foreign: () => "another" } };
}

test("two hundred hostile posts to the webhook of MSGT: none is let in, none breaks anything, and it goes on", async (t) => {
  const { hostile, goesOn } = await target(t);
  assertWithstood(await runHostile(hostile));
  await goesOn();
});

test("a secret of MSGT that is almost right is refused, whatever of it is wrong, by a comparison of digests", async (t) => {
  const { hostile, goesOn } = await target(t);
  assertWithstood(await runOracle(hostile), 100);
  assert.equal(await comparedWith(t, hostile, "almost"), true);
  await goesOn();
});
