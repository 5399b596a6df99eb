import assert from "node:assert/strict";
import { test } from "node:test";
import type { PlatformTag } from "../../contracts/board/platform-tag.js";
import type { KnownChat } from "../../contracts/gateway/targets.js";
import { parseAddress, writeAddress } from "./addresses.js";
import { readHomeChannels } from "./home-channels.js";
import { findTargets, splitTargets, type TargetBook } from "./resolve-targets.js";

const L = `U${"0a".repeat(16)}`;

const ADDRESS_CASES: readonly (readonly [PlatformTag, string, string | undefined, string | null])[] = [
  ["msgt", "123", "123", null],
  ["msgt", "-100123:9", "-100123", "9"],
  ["msgt", "@news", "@news", null],
  ["msgt", "@news:4", "@news", "4"],
  ["msgt", "1:9:2", undefined, null],
  ["msgt", "1:x", undefined, null],
  ["msgt", "team", undefined, null],
  ["msgt", "--1", undefined, null],
  ["msgd", "77:88", "77", "88"],
  ["msgd", "-77", undefined, null],
  ["msgd", "99999999999999999999", "99999999999999999999", null],
  ["msgl", L, L, null],
  ["msgl", `${L}:1`, undefined, null],
  ["msgl", L.slice(0, -1), undefined, null],
  ["msgl", `X${L.slice(1)}`, undefined, null],
  ["msgf", "oc_1", "oc_1", null],
  ["msgf", "ou_a-b:omt_1", "ou_a-b", "omt_1"],
  ["msgf", "on_1", "on_1", null],
  ["msgf", "ox_1", undefined, null],
  ["msgg", "spaces/A", "spaces/A", null],
  ["msgg", "spaces/A/threads/t", "spaces/A", "spaces/A/threads/t"],
  ["msgg", "spaces/A/messages/t", undefined, null],
  ["msgw", "19:abc@thread.tacv2;messageid=178", "19:abc@thread.tacv2", "178"],
  ["msgw", "19:a;messageid=1;messageid=2", "19:a;messageid=1", "2"],
  ["msgw", "a:1", "a:1", null],
  ["msgw", "a:1;messageid=", "a:1;messageid=", null],
  ["msgx", "u@x:y,z", "u@x:y,z", null],
];

for (const [tag, rest, chatId, threadId] of ADDRESS_CASES) {
  test(`${tag}:${rest} is ${chatId === undefined ? "no identifier" : `chat ${chatId}, thread ${threadId}`}`, () => {
    const found = parseAddress(tag, rest);
    assert.deepEqual(found, chatId === undefined ? undefined : { chatId, threadId });
    if (found !== undefined) assert.equal(writeAddress(tag, found), `${tag}:${rest}`);
  });
}

const SPLITS: readonly (readonly [string, readonly string[]])[] = [
  ["msgt,msgd:1", ["msgt", "msgd:1"]],
  ["msgx:a,b@c,msgt:1", ["msgx:a,b@c", "msgt:1"]],
  ["all, local ,origin", ["all", "local", "origin"]],
  ["msgx:a,local", ["msgx:a", "local"]],
  ["msgt:ops,,msgt", ["msgt:ops,", "msgt"]],
  ["team,msgt", ["team", "msgt"]],
];

for (const [text, parts] of SPLITS) {
  test(`the list ${text} has ${parts.length} targets`, () =>
    assert.deepEqual(splitTargets(text, { team: "msgt:1" }), parts));
}

const entry = (chatId: string, name: string, threadId: string | null = null): KnownChat => ({
  platform: "msgt",
  chatId,
  threadId,
  name,
  type: "group",
});

const source = (env: Record<string, string>, yaml: Record<string, unknown> = {}) => ({
  env,
  raw: (path: string) => yaml[path],
});

function book(
  more: Partial<TargetBook> = {},
  env: Record<string, string> = { MSGT_HOME_CHANNEL: "1", MSGD_HOME_CHANNEL: "5" },
): TargetBook {
  const homes = readHomeChannels(source(env));
  return {
    home: (platform) => homes.find((one) => one.platform === platform),
    homes: () => homes,
    aliases: () => ({ team: "msgt:-9:4", both: "team,msgd", round: "round" }),
    channels: async (tag) =>
      tag === "msgt" ? [entry("7", "Ops"), entry("8", "News"), entry("9", "#news"), entry("7", "deploys", "3")] : [],
    ...more,
  };
}

const FOUND: readonly (readonly [string, readonly string[]])[] = [
  ["msgt", ["msgt:1"]],
  ["msgt:", ["msgt:1"]],
  ["MSGT:12", ["msgt:12"]],
  ["all", ["msgd:5", "msgt:1"]],
  ["all,msgt:1", ["msgd:5", "msgt:1"]],
  ["msgt:#OPS", ["msgt:7"]],
  ["msgt:ops", ["msgt:7"]],
  ["msgt:deploys", ["msgt:7:3"]],
  ["team", ["msgt:-9:4"]],
  ["msgt:team", ["msgt:-9:4"]],
  ["both", ["msgt:-9:4", "msgd:5"]],
  ["local", []],
  ["origin", ["msgd:5"]],
];

for (const [text, expected] of FOUND) {
  test(`the target ${text} leads to ${expected.join(" and ") || "no chat"}`, async () => {
    const { places } = await findTargets(text, book());
    assert.deepEqual(
      places.map((place) => writeAddress(place.platform, place)),
      expected,
    );
  });
}

test("origin is the chat that it was asked for in", async () => {
  const { places } = await findTargets("origin", book({ origin: { platform: "msgf", chatId: "oc_1", threadId: "t" } }));
  assert.deepEqual(places, [{ platform: "msgf", chatId: "oc_1", threadId: "t", home: false, explicitThread: true }]);
});

test("GW-147: a name that several chats have is refused with all of them", async () => {
  await assert.rejects(
    findTargets("msgt:news", book()),
    (error: { code?: string; data?: { candidates?: unknown } }) => {
      assert.equal(error.code, "E_AMBIGUOUS");
      assert.deepEqual(error.data?.candidates, ["msgt:8 (News, group)", "msgt:9 (#news, group)"]);
      return true;
    },
  );
});

const REFUSED: readonly (readonly [string, string, RegExp])[] = [
  ["msgt:nobody", "E_NOT_FOUND", /unknown chat "nobody" of msgt/],
  ["msgl", "E_INVALID", /MSGL_HOME_CHANNEL is not set/],
  ["matrix:1", "E_INVALID", /unknown target "matrix:1"/],
  ["", "E_INVALID", /invalid target/],
  ["round", "E_INVALID", /circular/],
  ["msgt:__proto__", "E_NOT_FOUND", /unknown chat/],
  ["constructor", "E_INVALID", /unknown target/],
];

for (const [text, code, message] of REFUSED) {
  test(`the target ${JSON.stringify(text)} is refused with ${code}`, async () => {
    await assert.rejects(findTargets(text, book()), { code, message });
  });
}

test("without any home channel, all and origin say what to set", async () => {
  for (const text of ["all", "origin"]) await assert.rejects(findTargets(text, book({}, {})), { code: "E_INVALID" });
});

test("a home channel comes from variables first, then from its block, with its thread and its name", () => {
  const yaml = {
    "platforms.msgt.home_channel": { chat_id: -100, name: "Ops", thread_id: "4" },
    "msgd.home_channel": "8",
  };
  assert.deepEqual(readHomeChannels(source({}, yaml)), [
    { platform: "msgd", chatId: "8", threadId: null, name: "Home" },
    { platform: "msgt", chatId: "-100", threadId: "4", name: "Ops" },
  ]);
  const env = { MSGT_HOME_CHANNEL: "2", MSGT_HOME_CHANNEL_THREAD_ID: "6" };
  assert.deepEqual(readHomeChannels(source(env, yaml))[1], {
    platform: "msgt",
    chatId: "2",
    threadId: "6",
    name: "Home",
  });
});
