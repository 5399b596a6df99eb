import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { lifeWorld } from "../../../fixtures/sim/gateway-life.js";
import { runLine } from "../../../fixtures/sim/run-line.js";
import type { OutboxEntry } from "../../contracts/gateway/api.js";
import { services } from "../../rpc/commands/command-services.js";
import { createOutbox } from "../outbox/outbox.js";
import { rulesOf } from "../settings/configured-rules.js";

/** A gateway and its command line. */
async function operated(t: TestContext) {
  const world = await lifeWorld(t, { script: [{ text: "PONG" }] });
  const line = (...argv: string[]) =>
    runLine(["gateway", "outbox", ...argv], { ...services(world.owner.app), gateway: world.api() });
  const rows = async (...argv: string[]): Promise<readonly OutboxEntry[]> => {
    const { out, code } = await line("list", ...argv, "--json");
    assert.equal(code, 0);
    return JSON.parse(out);
  };
  return { ...world, line, rows };
}

test("GW-28: an operator sees on the command line what may not have arrived, and has it sent again there", async (t) => {
  const { host, one, say, shown, line, rows } = await operated(t);
  one.fate = () => "cut-after";
  await host().begin();
  await say("1", "ping");
  await shown(1);
  while ((await rows("--state", "unknown")).length === 0) await new Promise(setImmediate);
  one.fate = () => "taken";
  const [row] = await rows();
  assert.deepEqual([row?.state, row?.target, row?.preview, row?.attempts], ["unknown", "msgt:c1", "PONG", 1]);
  assert.match((await line()).out, new RegExp(`${row?.id}.*unknown.*msgt:c1`));
  assert.equal(one.ledger.length, 1);
  const retried = await line("retry", row?.id ?? "");
  assert.deepEqual([retried.code, retried.out], [0, `${row?.id} queued for sending\n`]);
  assert.deepEqual(
    (await shown(2)).map(({ text }) => text),
    ["PONG", "PONG"],
  );
  while ((await rows()).length > 0) await new Promise(setImmediate);
  assert.equal((await line()).out, "no unsent messages\n");
  const again = await line("retry", row?.id ?? "");
  assert.notEqual(again.code, 0);
  assert.match(again.err, /is sent and cannot be sent again/);
});

test("an operator gives up on the command line what may not have arrived, and it is neither listed nor sent any more", async (t) => {
  const { host, one, say, line, rows } = await operated(t);
  one.fate = () => "cut-before";
  await host().begin();
  await say("1", "ping");
  while ((await rows("--state", "unknown")).length === 0) await new Promise(setImmediate);
  const [row] = await rows();
  const dropped = await line("drop", row?.id ?? "");
  assert.deepEqual([dropped.code, dropped.out], [0, `${row?.id} discarded\n`]);
  assert.deepEqual(await rows(), []);
  assert.equal(one.ledger.length, 0);
});

test("messages to one platform are listed, the newest first, however many newer ones to another platform there are", async (t) => {
  const { owner, rows } = await operated(t);
  const outbox = createOutbox({
    ...owner.app.options,
    store: await owner.app.stores.state(),
    rules: rulesOf(owner.app.options),
  });
  const send = (platform: "msgt" | "msgd", text: string) => ({
    kind: "notice" as const,
    target: { platform, account: "bot", chatId: "c1", threadId: null, replyTo: null },
    payload: { text, format: "plain" as const, silent: false },
  });
  await outbox.insert(["old", "older than many"].map((text) => send("msgd", text)));
  await outbox.insert(Array.from({ length: 501 }, (_, n) => send("msgt", `number ${n}`)));
  const previews = async (...argv: string[]) => (await rows(...argv)).map(({ preview }) => preview);
  for (const state of [[], ["--state", "pending"]]) {
    assert.deepEqual(await previews("--platform", "msgd", ...state), ["older than many", "old"]);
    assert.equal((await previews(...state))[0], "number 500");
  }
  assert.deepEqual(await rows("--platform", "msgd", "--state", "failed"), []);
});
