import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { startForwardProxy } from "../../../fixtures/servers/forward-proxy.js";
import { startMsgt } from "../../../fixtures/servers/msgt/server.js";
import { msgtWorld, TOKEN } from "../../../fixtures/worlds/msgt-world.js";
import type { Inbound } from "../../../lib/contracts/board/platform-tag.js";
import { platformSettings } from "../../../lib/gateway/settings/platform-settings.js";
import { createObserved } from "./observed.js";
import { readMsgtSettings } from "./settings.js";
import { UpdateShape } from "./wire.js";

const PERSON = { id: 42, is_bot: false, first_name: "A" };
const TEAM = { id: -100, type: "supergroup", title: "Team" };
const inGroup = (text: string, more = {}) => ({
  message: {
    message_id: 5,
    date: 1767225600,
    chat: TEAM,
    from: PERSON,
    text,
    ...more,
  },
});

/** What is stored of updates that waited at the platform. */
async function storedOf(
  t: TestContext,
  updates: readonly object[],
  env: Readonly<Record<string, string>>,
  count: number,
) {
  const server = await startMsgt({ token: TOKEN });
  for (const update of updates) server.update({ ...update });
  const world = await msgtWorld(t, { env, server });
  const rows = await world.received(count);
  return rows.map(({ payload }): Inbound => JSON.parse(payload ?? "{}"));
}

const OBSERVING = { MSGT_REQUIRE_MENTION: "true", MSGT_OBSERVE_UNMENTIONED_GROUP_MESSAGES: "true" };
const BOB = { id: 43, is_bot: false, first_name: "Bob" };

test("what others say in a group stands before the next message for the bot, once and without a turn of its own", async (t) => {
  const updates = [
    inGroup("lunch at noon?", { message_id: 1, from: BOB }),
    inGroup("fine", { message_id: 2 }),
    inGroup("elsewhere", { message_id: 3, chat: { id: -200, type: "group", title: "Other" } }),
    inGroup("@the_test_bot where?", { message_id: 4 }),
    inGroup("@the_test_bot and when?", { message_id: 5 }),
  ];
  const rows = await storedOf(t, updates, OBSERVING, 2);
  assert.deepEqual(
    rows.map((one) => [one.text, one.context]),
    [
      ["where?", "[Recent group messages]\n[Bob|43]\nlunch at noon?\n[A|42]\nfine"],
      ["and when?", undefined],
    ],
  );
});

test("what others say is left out unless it is switched on, and where the settings shut the bot out", async (t) => {
  const updates = [
    inGroup("secret plans", { message_id: 1, from: BOB }),
    inGroup("@the_test_bot hi", { message_id: 2 }),
  ];
  const [off] = await storedOf(t, updates, { MSGT_REQUIRE_MENTION: "true" }, 1);
  assert.deepEqual([off?.text, off?.context], ["hi", undefined]);
  const shut = { ...OBSERVING, MSGT_ALLOWED_CHATS: "-7", MSGT_GUEST_MODE: "true" };
  const [guest] = await storedOf(t, updates, shut, 1);
  assert.deepEqual([guest?.text, guest?.context], ["hi", undefined]);
});

test("a poll that is brought again, because it could not be stored, has the same context", () => {
  const observed = createObserved();
  const how = { me: { id: 1, username: "the_test_bot" }, rules: settingsOfGroups(OBSERVING) };
  const others = UpdateShape.parse({ update_id: 1, ...inGroup("lunch?", { from: BOB }) });
  const ours = UpdateShape.parse({ update_id: 2, ...inGroup("@the_test_bot hi") });
  const event = { text: "hi" } as Inbound; // nothing of it is read but that it is there
  for (let n = 0; n < 2; n++) {
    observed.see(others, undefined, how);
    assert.equal(observed.see(ours, event, how), "[Recent group messages]\n[Bob|43]\nlunch?");
  }
});

function settingsOfGroups(env: Readonly<Record<string, string>>) {
  const read = readMsgtSettings(
    platformSettings("msgt", { env: { MSGT_BOT_TOKEN: TOKEN, ...env }, raw: () => undefined }),
  );
  assert.ok("settings" in read);
  return read.settings.groups;
}

test("the platform is asked through MSGT_PROXY, its files as well", async (t) => {
  const server = await startMsgt({ token: TOKEN });
  const proxy = await startForwardProxy({ kind: "socks5", to: Number(new URL(server.url).port) });
  t.after(() => proxy.close());
  const base = "http://bots.example:8081";
  const env = {
    MSGT_PROXY: `socks5://127.0.0.1:${proxy.port}`,
    MSGT_API_BASE: base,
    MSGT_FILE_BASE: base,
    GATEWAY_ALLOW_INSECURE_API_BASE: "true",
  };
  server.state.files.set("d", Buffer.from("bytes"));
  const world = await msgtWorld(t, { server, env });
  await world.reaches("connected");
  const media = { kind: "document", mime: null, name: "a.txt", size: 5, ref: { fileId: "d" } };
  const pieces: Uint8Array[] = [];
  for await (const piece of (await world.platform.fetchMedia?.(media, new AbortController().signal)) ?? [])
    pieces.push(piece);
  assert.equal(Buffer.concat(pieces).toString(), "bytes");
  assert.ok(
    proxy.asked.length > 0 && proxy.asked.every((one) => one === "bots.example:8081"),
    JSON.stringify(proxy.asked),
  );
});

test("a Bot API server of one's own names files by their path on this machine, of up to 2 GB", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "msgt-local-"));
  t.after(() => rmSync(dir, { recursive: true }));
  const path = join(dir, "file_0.txt");
  writeFileSync(path, "here");
  const server = await startMsgt({ token: TOKEN });
  const world = await msgtWorld(t, { server, block: { local_mode: true } });
  await world.reaches("connected");
  const media = { kind: "document", mime: null, name: "a.txt", size: 60 << 20, ref: { fileId: "d" } };
  const fetched = async () => {
    server.next("getFile", {
      do: "answer",
      status: 200,
      body: { ok: true, result: { file_id: "d", file_path: path } },
    });
    const pieces: Uint8Array[] = [];
    for await (const piece of (await world.platform.fetchMedia?.(media, new AbortController().signal)) ?? [])
      pieces.push(piece);
    return Buffer.concat(pieces).toString();
  };
  assert.equal(await fetched(), "here");
  rmSync(path);
  await assert.rejects(fetched(), /cannot be read on this machine/);
});
