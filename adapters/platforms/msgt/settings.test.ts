import assert from "node:assert/strict";
import { test } from "node:test";
import { namesProblems, type Problem } from "../../../fixtures/platforms/problems.js";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { silentLog } from "../../../lib/base/log/log.js";
import { platformSettings } from "../../../lib/gateway/settings/platform-settings.js";
import { createHooks } from "../../../lib/http/hooks.js";
import { createNet } from "../../../lib/safety/net/net.js";
import { createMsgt } from "./platform.js";
import { type MsgtSettings, readMsgtSettings } from "./settings.js";

const TOKEN = "4711:abc";
const given = (env: Record<string, string>, block: Record<string, unknown>) =>
  platformSettings("msgt", { env, raw: (path) => block[path.replace("platforms.msgt.", "")] });
const read = (env: Record<string, string>, block: Record<string, unknown> = {}) =>
  readMsgtSettings(given({ MSGT_BOT_TOKEN: TOKEN, ...env }, block));

function settingsOf(env: Record<string, string>, block?: Record<string, unknown>): MsgtSettings {
  const found = read(env, block);
  assert.ok("settings" in found, JSON.stringify(found));
  return found.settings;
}

const PROBLEMS: readonly Problem[] = [
  [{ MSGT_BOT_TOKEN: " " }, "MSGT_BOT_TOKEN"],
  [{ MSGT_BOT_TOKEN: "hello" }, "MSGT_BOT_TOKEN"],
  [{ MSGT_REQUIRE_MENTION: "perhaps" }, "MSGT_REQUIRE_MENTION"],
  [{}, "platforms.msgt.require_mention", { require_mention: "perhaps" }],
  [{}, "platforms.msgt.allowed_chats", { allowed_chats: [2 ** 60] }],
  [{ MSGT_MENTION_PATTERNS: "((" }, "MSGT_MENTION_PATTERNS"],
  [{ MSGT_MENTION_PATTERNS: "(a+)+$" }, "MSGT_MENTION_PATTERNS"],
  [{ MSGT_API_BASE: "http://example.org" }, "not encrypted"],
  [{ MSGT_API_BASE: "ftp://127.0.0.1" }, "MSGT_API_BASE"],
  [{ MSGT_REPLY_TO_MODE: "never" }, "MSGT_REPLY_TO_MODE"],
  [{ MSGT_NOTIFICATIONS: "loud" }, "MSGT_NOTIFICATIONS"],
  [{ MSGT_WEBHOOK_URL: "https://x" }, "MSGT_WEBHOOK_URL"],
  [{ MSGT_PROXY: "ftp://p" }, "MSGT_PROXY"],
  [{ MSGT_FALLBACK_IPS: "10.0.0.1,bots.example" }, "bots.example"],
];

namesProblems(read, PROBLEMS, TOKEN);

test("a variable wins over the block, and lists come in three forms", () => {
  const { groups, apiBase } = settingsOf(
    { MSGT_ALLOWED_CHATS: "1, -2" },
    { allowed_chats: ["9"], free_response_chats: [-100], base_url: "https://x/" },
  );
  assert.deepEqual([groups.allowedChats, groups.freeChats, apiBase], [["1", "-2"], ["-100"], "https://x"]);
  assert.deepEqual(settingsOf({ MSGT_MENTION_PATTERNS: '["a,b"]' }).groups.patterns, [/a,b/iu]);
});

test("an address that is not encrypted is taken where the settings of the gateway allow it", () => {
  const found = readMsgtSettings(
    given({ MSGT_BOT_TOKEN: TOKEN, MSGT_API_BASE: "http://bots.example/" }, {}),
    () => true,
  );
  assert.equal("settings" in found && found.settings.apiBase, "http://bots.example");
});

test("the account is the number of the bot, and the token is in nothing that is shown", () => {
  const settings = settingsOf({});
  assert.equal(settings.account, "4711");
  assert.equal(JSON.stringify(settings).includes("abc"), false);
});

test("wrong settings make the adapter say so at its connect, before any network", async () => {
  const clock = manualClock();
  const net = createNet({ clock, allowPrivate: () => true });
  const unused = async () => {
    throw new Error("not asked for");
  };
  const inlet = { accept: unused, acceptBatch: unused, cursor: unused, connected: unused };
  const platform = createMsgt({
    settings: given({}, {}),
    others: () => given({}, {}),
    inlet,
    net,
    clock,
    log: silentLog,
    hooks: createHooks({ clock, log: silentLog }),
  });
  const nothing = { lost: () => undefined, polled: () => undefined };
  const answer = await platform.connect(nothing, new AbortController().signal);
  assert.equal(!answer.connected && answer.code, "config_invalid");
  await platform.disconnect();
});

test("a proxy, addresses to fall back on, a server of one's own and the richer form are read, in either place", () => {
  const settings = settingsOf(
    { MSGT_PROXY: "socks5://me:xyzzy@10.0.0.1:9", MSGT_FALLBACK_IPS: "149.154.167.220, 2001:67c:4e8:f004::9" },
    { local_mode: true, rich_messages: true, observe_unmentioned_group_messages: true },
  );
  const { kind, host, port } = settings.proxy ?? {};
  assert.deepEqual([kind, host, port], ["socks5", "10.0.0.1", 9]);
  assert.deepEqual(settings.fallbackAddresses, ["149.154.167.220", "2001:67c:4e8:f004::9"]);
  assert.deepEqual([settings.localMode, settings.richMessages, settings.groups.observes], [true, true, true]);
  assert.equal(JSON.stringify(settings).includes("xyzzy"), false);
});
