import assert from "node:assert/strict";
import { test } from "node:test";
import { simMessage } from "../../../fixtures/sim/platform.js";
import type { ChatType } from "../../contracts/board/platform-tag.js";
import { platformSettings } from "../settings/platform-settings.js";
import { memberOf, startsPrograms } from "./member-tier.js";

const eventOf = (chatType: ChatType, userId = "7") => {
  const one = simMessage("msgt", "1", "x", "c");
  return { ...one, source: { ...one.source, chatType, userId } };
};

function settings(env: Record<string, string>) {
  const source = { env, raw: () => undefined };
  return { platform: platformSettings("msgt", source), all: platformSettings("gateway", source) };
}

test("the only one on the allowlist is the admin, unless admins are named", () => {
  const one = eventOf("dm");
  assert.equal(memberOf(one, settings({ MSGT_ALLOWED_USERS: "7" })).tier, "admin");
  assert.equal(memberOf(one, settings({ MSGT_ALLOWED_USERS: "7,8" })).tier, undefined);
  assert.equal(memberOf(one, settings({ MSGT_ALLOWED_USERS: "*" })).tier, undefined);
  assert.equal(memberOf(one, settings({ MSGT_ALLOWED_USERS: "7", GATEWAY_ALLOWED_USERS: "7" })).tier, undefined);
  assert.deepEqual(memberOf(eventOf("dm", "9"), settings({ MSGT_ALLOWED_USERS: "7" })), {
    group: false,
    allows: [],
    admins: true,
  });
  assert.equal(memberOf(one, settings({ MSGT_ALLOWED_USERS: "7", MSGT_ALLOW_ADMIN_FROM: "8" })).tier, "member");
  assert.equal(memberOf(eventOf("group"), settings({ MSGT_ALLOW_ADMIN_FROM: "7" })).tier, "admin");
});

test("in a group where everybody may talk no one starts programs, also not the one who is named as admin", () => {
  const starts = (users: string) =>
    startsPrograms(eventOf("group"), settings({ MSGT_ALLOWED_USERS: users, MSGT_ALLOW_ADMIN_FROM: "7" }), true);
  assert.deepEqual([starts("7"), starts("7,8"), starts("*")], [true, false, false]);
});
