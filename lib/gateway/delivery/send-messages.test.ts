import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { countingIds } from "../../../fixtures/ports/ids.js";
import { type CourierWorldOptions, courierWorld } from "../../../fixtures/sim/courier-world.js";
import { createMessages } from "./send-messages.js";

async function world(t: TestContext, options: CourierWorldOptions = {}) {
  const base = await courierWorld(t, { env: { MSGT_HOME_CHANNEL: "1" }, ...options });
  const { courier, gateway } = base;
  const refused = async (path: string) => ({ refused: { path, reason: "no" } });
  const messages = createMessages({
    courier,
    ids: countingIds(9),
    connected: () => gateway.supervisor.connected(),
    outbound: { take: refused, named: async (text) => ({ text, files: [], refused: [] }) },
    jobPlaces: async () => [{ platform: "msgt", chatId: "1", threadId: null }],
  });
  return { ...base, messages };
}

const never = new AbortController().signal;

async function seen({ store }: Awaited<ReturnType<typeof world>>, chats: readonly (readonly [string, string])[]) {
  for (const [id, name] of chats) {
    const sql = `INSERT INTO gateway_chats (platform, account, chat_id, thread_id, chat_type, name, session_key, seen_at)
      VALUES ('msgt', 'bot', ?, '', 'group', ?, ?, 0)`;
    await store.write("t", (tx) => tx.run(sql, [id, name, `k${id}`]));
  }
}

test("a message without a chat goes to the home channel, and that is said", async (t) => {
  const { messages, platform } = await world(t);
  const { sent } = await messages.send({ target: "msgt", text: "hello", subject: "News", wait: 1000 }, never);
  assert.deepEqual(
    [sent[0]?.state, sent[0]?.target, sent[0]?.home, sent[0]?.mirrored],
    ["sent", "msgt:1", true, false],
  );
  assert.deepEqual(
    platform("msgt").ledger.map(({ text }) => text),
    ["**News**\n\nhello"],
  );
});

test("GW-147: a name that two chats have is refused with both, and nothing is sent", async (t) => {
  const made = await world(t);
  await seen(made, [
    ["7", "News"],
    ["8", "news"],
  ]);
  await assert.rejects(
    made.messages.send({ target: "msgt:#news", text: "x", wait: 0 }, never),
    (error: { code?: string; data?: { candidates?: unknown[] } }) => {
      assert.deepEqual([error.code, error.data?.candidates?.length], ["E_AMBIGUOUS", 2]);
      return true;
    },
  );
  assert.equal(made.platform("msgt").calls.length, 0);
});

test("a message that is not through in time is pending, goes out later, and is not sent twice", async (t) => {
  const { messages, platform, clock, settled } = await world(t);
  platform("msgt").fate = () => "unsent";
  const sending = messages.send({ target: "msgt:5", text: "x", wait: 15_000 }, never);
  await settled();
  clock.advance(1);
  platform("msgt").fate = () => "taken";
  clock.advance(15_000);
  const { sent } = await sending;
  assert.ok(sent[0]?.state === "pending" || sent[0]?.state === "sent");
  if (sent[0]?.state === "pending") await settled();
  assert.equal(platform("msgt").ledger.length, 1);
});

test("a message to a chat whose turn runs is reported as sent at once, and added to the conversation afterwards", async (t) => {
  let end: () => void = () => undefined;
  const turn = new Promise<void>((resolve) => {
    end = resolve;
  });
  const added: string[] = [];
  const mirror = async (_: unknown, text: string) => {
    await turn;
    added.push(text);
  };
  const made = await world(t, { conversations: { isBusy: async () => true, mirror } });
  await seen(made, [["5", "News"]]);
  await made.store.write("t", (tx) =>
    tx.run("INSERT INTO gateway_sessions (session_key, session_id, created_at, updated_at) VALUES ('k5', 's1', 0, 0)"),
  );
  const { sent } = await made.messages.send({ target: "msgt:5", text: "x", wait: 1000 }, never);
  assert.deepEqual([sent[0]?.state, sent[0]?.mirrored, added], ["sent", false, []]);
  end();
  const [row] = await made.gateway.outbox.list("sent", 5);
  assert.ok(row);
  assert.equal(await made.courier.mirror.add(row), true);
  assert.deepEqual(added, ["x"]);
});

test("a send of which delivery unknown is unknown, with its row", async (t) => {
  const { messages, platform } = await world(t);
  platform("msgt").fate = () => "cut-after";
  const { sent } = await messages.send({ target: "msgt:5", text: "x", wait: 1000 }, never);
  assert.deepEqual([sent[0]?.state, sent[0]?.rows.length], ["unknown", 1]);
});

test("a job may not send to its own delivery target", async (t) => {
  const { messages, platform } = await world(t);
  await assert.rejects(messages.send({ target: "msgt", text: "x", job: "abc", wait: 0 }, never), {
    code: "E_FORBIDDEN",
  });
  assert.equal(
    (await messages.send({ target: "msgt:2", text: "x", job: "abc", wait: 1000 }, never)).sent[0]?.state,
    "sent",
  );
  assert.equal(platform("msgt").ledger.length, 1);
});

test("targets are the home channels and the chats that were seen, each once", async (t) => {
  const made = await world(t);
  await seen(made, [
    ["1", "Home again"],
    ["7", "Ops"],
  ]);
  assert.deepEqual(
    (await made.messages.targets()).map(({ target, name, home }) => [target, name, home]),
    [
      ["msgt:1", "Home", true],
      ["msgt:7", "Ops", false],
    ],
  );
});

test("a platform that is not set up and a reaction where there are none are told", async (t) => {
  const { messages } = await world(t);
  await assert.rejects(messages.send({ target: "msgx:u", text: "x", wait: 0 }, never), {
    code: "E_INVALID",
    message: /msgx is not set up/,
  });
  await assert.rejects(messages.react({ target: "msgt:1", message_id: "5", emoji: "👍", on: true }, never), {
    code: "E_STATE",
    message: /no reactions/,
  });
});
