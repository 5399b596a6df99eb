import assert from "node:assert/strict";
import { test } from "node:test";
import { simMessage } from "../../fixtures/sim/platform.js";
import type { ChatType, PlatformTag } from "../proto/gateway.js";
import { isAdmitted, memberOf } from "./admission.js";
import { platformSettings } from "./settings.js";

interface Who {
  readonly platform?: PlatformTag;
  readonly user?: string | null;
  readonly alt?: string;
  readonly type?: ChatType;
  readonly chat?: string;
}

function eventOf({ platform = "msgt", user = "7", alt, type = "dm", chat = "c" }: Who) {
  const one = simMessage(platform, "1", "x", chat);
  return { ...one, source: { ...one.source, chatType: type, userId: user, userIdAlt: alt ?? null, userName: "owner" } };
}

function settings(env: Record<string, string>, platform: string) {
  const source = { env, raw: () => undefined };
  return { platform: platformSettings(platform, source), all: platformSettings("gateway", source) };
}

const CASES: readonly (readonly [string, Who, Record<string, string>, boolean])[] = [
  ["nobody, where nothing is configured", {}, {}, false],
  ["who is on the list of the platform", {}, { MSGT_ALLOWED_USERS: "6,7" }, true],
  ["who is on the list of all platforms", {}, { GATEWAY_ALLOWED_USERS: "7" }, true],
  ["who is on the list by the other id", { user: "1", alt: "7" }, { MSGT_ALLOWED_USERS: "7" }, true],
  ["not who is on no list, even where all may talk that have none", {}, { MSGT_ALLOWED_USERS: "6", GATEWAY_ALLOW_ALL_USERS: "1" }, false],
  ["everybody, where that is wanted and no list is there", {}, { GATEWAY_ALLOW_ALL_USERS: "1" }, true],
  ["everybody on a platform that says so", {}, { MSGT_ALLOW_ALL_USERS: "yes", GATEWAY_ALLOWED_USERS: "6" }, true],
  ["everybody, where the list holds a star", {}, { MSGT_ALLOWED_USERS: "*" }, true],
  ["not by a part of an id", {}, { MSGT_ALLOWED_USERS: "77" }, false],
  ["not by a name", {}, { MSGT_ALLOWED_USERS: "owner" }, false],
  ["an e-mail address whatever its case", { platform: "msgg", user: "A@B.example" }, { MSGG_ALLOWED_USERS: "a@b.example" }, true],
  ["nobody without an id", { user: null }, { MSGT_ALLOW_ALL_USERS: "1" }, false],
  ["a group that is allowed, also without an id", { user: null, type: "group", chat: "-5" }, { MSGT_GROUP_ALLOWED_CHATS: "-5" }, true],
  ["a group that stands among the users", { type: "group", chat: "-5" }, { MSGT_GROUP_ALLOWED_USERS: "-5" }, true],
  ["in groups who is allowed there", { type: "group" }, { MSGT_GROUP_ALLOWED_USERS: "7" }, true],
  ["not in a direct chat who is allowed in groups only", {}, { MSGT_GROUP_ALLOWED_USERS: "7" }, false],
];

for (const [what, who, env, admitted] of CASES) {
  test(`let in: ${what}`, () => {
    const event = eventOf(who);
    assert.equal(isAdmitted(event, settings(env, event.platform)), admitted);
  });
}

test("the only one on the allowlist is the admin, unless admins are named", () => {
  const one = eventOf({});
  assert.equal(memberOf(one, settings({ MSGT_ALLOWED_USERS: "7" }, "msgt")).tier, "admin");
  assert.equal(memberOf(one, settings({ MSGT_ALLOWED_USERS: "7,8" }, "msgt")).tier, undefined);
  assert.equal(memberOf(one, settings({ MSGT_ALLOWED_USERS: "7", MSGT_ALLOW_ADMIN_FROM: "8" }, "msgt")).tier, "member");
  assert.equal(memberOf(eventOf({ type: "group" }), settings({ MSGT_ALLOW_ADMIN_FROM: "7" }, "msgt")).tier, "admin");
});
