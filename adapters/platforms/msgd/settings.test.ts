import assert from "node:assert/strict";
import { test } from "node:test";
import { namesProblems, type Problem } from "../../../fixtures/platforms/problems.js";
import { BOT } from "../../../fixtures/servers/msgd/server.js";
import { TOKEN } from "../../../fixtures/worlds/msgd-world.js";
import { platformSettings } from "../../../lib/gateway/settings/platform-settings.js";
import { threadName } from "./address.js";
import { type MsgdSettings, readMsgdSettings } from "./settings.js";

const read = (env: Record<string, string>, block: Record<string, unknown> = {}, insecure = false) =>
  readMsgdSettings(
    platformSettings("msgd", {
      env: { MSGD_BOT_TOKEN: TOKEN, ...env },
      raw: (path) => block[path.replace("platforms.msgd.", "")],
    }),
    platformSettings("gateway", {
      env: {},
      raw: (path) => (path === "gateway.allow_insecure_api_base" ? insecure : undefined),
    }),
  );

function settingsOf(...given: Parameters<typeof read>): MsgdSettings {
  const found = read(...given);
  assert.ok("settings" in found, JSON.stringify(found));
  return found.settings;
}

const PROBLEMS: readonly Problem[] = [
  [{ MSGD_BOT_TOKEN: " " }, "MSGD_BOT_TOKEN"],
  [{ MSGD_BOT_TOKEN: "hello" }, "MSGD_BOT_TOKEN"],
  [{ MSGD_BOT_TOKEN: "aGVsbG8.abc.defghijk" }, "MSGD_BOT_TOKEN"],
  [{ MSGD_REQUIRE_MENTION: "perhaps" }, "MSGD_REQUIRE_MENTION"],
  [{}, "platforms.msgd.allowed_channels", { allowed_channels: [2 ** 60] }],
  [{ MSGD_ALLOW_BOTS: "some" }, "MSGD_ALLOW_BOTS"],
  [{ MSGD_REPLY_TO_MODE: "never" }, "MSGD_REPLY_TO_MODE"],
  [{ MSGD_COMMAND_SYNC_POLICY: "fast" }, "MSGD_COMMAND_SYNC_POLICY"],
  [{ MSGD_MAX_ATTACHMENT_BYTES: "-1" }, "MSGD_MAX_ATTACHMENT_BYTES"],
  [{ MSGD_HISTORY_BACKFILL_LIMIT: "many" }, "MSGD_HISTORY_BACKFILL_LIMIT"],
  [{ MSGD_API_BASE: "http://example.org" }, "not encrypted"],
  [{ MSGD_API_BASE: "ftp://127.0.0.1" }, "MSGD_API_BASE"],
  [{ MSGD_PROXY: "http://p" }, "MSGD_PROXY"],
  [{}, "everyone", { allow_mentions: ["everyone"] }],
];

namesProblems(read, PROBLEMS, TOKEN);

test("what is not set is as the platform's users expect it", () => {
  const { rules, ...rest } = settingsOf({});
  assert.deepEqual([rest.account, rest.apiBase, rest.maxAttachmentBytes], [BOT, "https://discord.com/api", 32 << 20]);
  assert.deepEqual(
    [rest.autoThread, rest.backfill, rest.backfillLimit, rest.catchUp, rest.reactions],
    [true, true, 50, true, true],
  );
  assert.deepEqual(
    [rules.bots, rules.requireMention, rules.threadRequireMention, rules.ignoreNoMention],
    ["none", true, false, true],
  );
  assert.equal(JSON.stringify(rest).includes("signature"), false);
});

test("an address without encryption is taken for this machine, and elsewhere where that is allowed", () => {
  assert.equal(settingsOf({ MSGD_API_BASE: "http://127.0.0.1:9/api/" }).apiBase, "http://127.0.0.1:9/api");
  assert.equal(settingsOf({ MSGD_API_BASE: "http://example.org" }, {}, true).apiBase, "http://example.org");
});

test("a thread is named by its message in eighty characters, and never with half of a sign", () => {
  assert.deepEqual(["", " \n ", "hello\nworld"].map(threadName), ["agent", "agent", "hello world"]);
  assert.equal(threadName("a".repeat(81)), `${"a".repeat(77)}...`);
  assert.equal(threadName(`${"a".repeat(76)}😀${"b".repeat(9)}`), `${"a".repeat(76)}...`);
});
