import assert from "node:assert/strict";
import { test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import { simMessage } from "../../../fixtures/sim/platform.js";
import {
  type ChatType,
  type OwnDecision,
  PLATFORM_TAGS,
  type PlatformTag,
} from "../../contracts/board/platform-tag.js";
import { platformSettings } from "../settings/platform-settings.js";
import { decideSender, isListed, type SenderDecision } from "./admission.js";

interface Who {
  readonly platform: PlatformTag;
  readonly type: ChatType;
  readonly user?: string | null;
  readonly alt?: string;
  readonly chat?: string;
  readonly decided?: OwnDecision;
  readonly internal?: boolean;
}

function eventOf({ platform, user = "7", alt, type, chat = "c", decided, internal = false }: Who) {
  const one = simMessage(platform, "1", "x", chat);
  const source = {
    ...one.source,
    chatType: type,
    userId: user,
    userIdAlt: alt ?? null,
    userName: "owner",
    chatName: "7",
  };
  return { ...one, internal, ...(decided && { decided }), source };
}

function allowing(env: Record<string, string>, platform: string, raw: Record<string, unknown> = {}) {
  const source = { env, raw: (path: string) => raw[path] };
  return { platform: platformSettings(platform, source), all: platformSettings("gateway", source) };
}

const verdict = (who: Who, env: Record<string, string>) => decideSender(eventOf(who), allowing(env, who.platform));

type Row = readonly [
  what: string,
  who: Partial<Who>,
  env: Record<string, string>,
  dm: SenderDecision,
  group: SenderDecision,
];

/** The rows of the table, in its order; `TAG` stands for each platform. */
const EVERYWHERE: readonly Row[] = [
  ["1: the product's own event", { internal: true, user: null }, { TAG_ALLOWED_USERS: "6" }, "allow", "allow"],
  [
    "3: the adapter's rule lets this chat in",
    { decided: "allow", user: null },
    { TAG_ALLOWED_USERS: "6" },
    "allow",
    "allow",
  ],
  [
    "3: the adapter's rule shuts this chat",
    { decided: "deny" },
    { TAG_ALLOW_ALL_USERS: "1", TAG_ALLOWED_USERS: "7" },
    "deny",
    "deny",
  ],
  [
    "5: nobody without an id",
    { user: null },
    { TAG_ALLOW_ALL_USERS: "1", GATEWAY_ALLOW_ALL_USERS: "1" },
    "deny",
    "deny",
  ],
  ["5: an alternative id is one", { user: null, alt: "8" }, { TAG_ALLOWED_USERS: "8" }, "allow", "allow"],
  [
    "6: everybody, where the platform says so",
    {},
    { TAG_ALLOW_ALL_USERS: "yes", GATEWAY_ALLOWED_USERS: "6" },
    "allow",
    "allow",
  ],
  ["7: a bot that the adapter let in", { decided: "bot" }, { TAG_ALLOWED_USERS: "6" }, "allow", "allow"],
  ["8: a member of an allowed role", { decided: "role" }, { TAG_ALLOWED_USERS: "6" }, "allow", "allow"],
  ["9: who is on the list of the platform", {}, { TAG_ALLOWED_USERS: "6, 7" }, "allow", "allow"],
  [
    "9: who is on the list of all platforms",
    {},
    { GATEWAY_ALLOWED_USERS: "7", TAG_ALLOWED_USERS: "6" },
    "allow",
    "allow",
  ],
  [
    "9: who is on the list by the alternative id",
    { user: "1", alt: "7" },
    { TAG_ALLOWED_USERS: "7" },
    "allow",
    "allow",
  ],
  ["9: everybody, where the list holds a star", {}, { TAG_ALLOWED_USERS: "6,*" }, "allow", "allow"],
  ["9: not who is on no list", {}, { TAG_ALLOWED_USERS: "6" }, "deny", "deny"],
  ["9: not by a part of an id", { user: "7" }, { TAG_ALLOWED_USERS: "77,*7,7*" }, "deny", "deny"],
  ["9: not by the end of one", { user: "77" }, { TAG_ALLOWED_USERS: "7" }, "deny", "deny"],
  ["9: not by a name", { user: "1" }, { TAG_ALLOWED_USERS: "owner,7,c" }, "deny", "deny"],
  ["9: not by another case of an id", { user: "Uab" }, { TAG_ALLOWED_USERS: "uab" }, "deny", "deny"],
  ["10: pairing decides without a list", {}, {}, "if-paired", "if-paired"],
  [
    "10: not where a list is, whatever the open door says",
    {},
    { TAG_ALLOWED_USERS: "6", GATEWAY_ALLOW_ALL_USERS: "1" },
    "deny",
    "deny",
  ],
  ["11: everybody, where no list is and the door is open", {}, { GATEWAY_ALLOW_ALL_USERS: "1" }, "allow", "allow"],
];

for (const [what, who, env, dm, group] of EVERYWHERE) {
  test(`who may talk, row ${what}`, () => {
    for (const platform of PLATFORM_TAGS) {
      const own = Object.fromEntries(
        Object.entries(env).map(([name, value]) => [name.replace("TAG", platform.toUpperCase()), value]),
      );
      assert.equal(verdict({ ...who, platform, type: "dm" }, own), dm, `${platform} dm`);
      for (const type of ["group", "channel", "thread", "forum"] as const)
        assert.equal(verdict({ ...who, platform, type }, own), group, `${platform} ${type}`);
    }
  });
}

const group = { type: "group", chat: "-5" } as const;
const SINGLE: readonly (readonly [string, Who, Record<string, string>, SenderDecision])[] = [
  [
    "4: a group that is allowed, also without an id",
    { platform: "msgt", user: null, ...group },
    { MSGT_GROUP_ALLOWED_CHATS: "-5" },
    "allow",
  ],
  ["4: every group, by a star", { platform: "msgt", user: null, ...group }, { MSGT_GROUP_ALLOWED_CHATS: "*" }, "allow"],
  [
    "4: not a direct chat of that id",
    { platform: "msgt", type: "dm", chat: "-5" },
    { MSGT_GROUP_ALLOWED_CHATS: "-5" },
    "if-paired",
  ],
  ["4: not groups of other platforms", { platform: "msgd", ...group }, { MSGD_GROUP_ALLOWED_CHATS: "-5" }, "if-paired"],
  [
    "4: a group among the users, as of old",
    { platform: "msgt", user: null, ...group },
    { MSGT_GROUP_ALLOWED_USERS: "-5" },
    "allow",
  ],
  ["9: in groups who is allowed there", { platform: "msgt", ...group }, { MSGT_GROUP_ALLOWED_USERS: "7" }, "allow"],
  [
    "9: nobody else in groups then",
    { platform: "msgt", user: "8", ...group },
    { MSGT_GROUP_ALLOWED_USERS: "7" },
    "deny",
  ],
  [
    "9: not in a direct chat who is allowed in groups",
    { platform: "msgt", type: "dm" },
    { MSGT_GROUP_ALLOWED_USERS: "7" },
    "if-paired",
  ],
  [
    "9: only roles are listed, and the sender has none",
    { platform: "msgd", ...group },
    { MSGD_ALLOWED_ROLES: "5" },
    "deny",
  ],
  [
    "9: roles are listed on one platform alone",
    { platform: "msgf", ...group },
    { MSGF_ALLOWED_ROLES: "5" },
    "if-paired",
  ],
  [
    "9: an e-mail address whatever its case",
    { platform: "msgg", type: "dm", user: "A@B.example" },
    { MSGG_ALLOWED_USERS: "a@b.Example" },
    "allow",
  ],
  [
    "9: not a part of an address",
    { platform: "msgg", type: "dm", user: "xa@b.example" },
    { MSGG_ALLOWED_USERS: "a@b.example" },
    "deny",
  ],
  [
    "9: ids that only look like addresses",
    { platform: "msgx", type: "dm", user: "oAb@im.wechat" },
    { MSGX_ALLOWED_USERS: "oab@im.wechat" },
    "deny",
  ],
];

for (const [what, who, env, expected] of SINGLE) {
  test(`who may talk, row ${what}`, (t) => {
    if ("MSGT_GROUP_ALLOWED_USERS" in env || "MSGT_GROUP_ALLOWED_CHATS" in env) proves(t, "msgt.group-admission");
    assert.equal(verdict(who, env), expected);
  });
}

test("who may talk is the same question for messages, presses, postbacks, reactions and commands", () => {
  for (const kind of ["message", "command", "button", "postback", "reaction"] as const) {
    const event = { ...eventOf({ platform: "msgt", type: "dm" }), kind };
    assert.equal(decideSender(event, allowing({ MSGT_ALLOWED_USERS: "6" }, "msgt")), "deny", kind);
    assert.equal(decideSender(event, allowing({ MSGT_ALLOWED_USERS: "7" }, "msgt")), "allow", kind);
  }
});

test("events of other systems were let in by their signature", () => {
  for (const platform of ["webhook", "msgraph"] as const) {
    const event = { ...eventOf({ platform: "msgt", type: "dm", user: null }), platform };
    assert.equal(decideSender(event, allowing({}, platform)), "allow");
  }
});

test("a list in config.yaml is a list, and a variable that is set holds instead of it", () => {
  const raw = { "platforms.msgt.allowed_users": [7, "8"] };
  const one = eventOf({ platform: "msgt", type: "dm" });
  assert.equal(decideSender(one, allowing({}, "msgt", raw)), "allow");
  assert.equal(decideSender(one, allowing({ MSGT_ALLOWED_USERS: "8" }, "msgt", raw)), "deny");
});

test("every kind of list counts as one when strangers ask", () => {
  const lists = ["MSGT_ALLOWED_USERS", "GATEWAY_ALLOWED_USERS", "MSGT_GROUP_ALLOWED_USERS"];
  for (const name of lists) assert.equal(isListed("msgt", allowing({ [name]: "9" }, "msgt")), true, name);
  assert.equal(
    isListed("msgt", allowing({ MSGT_GROUP_ALLOWED_CHATS: "-5", MSGT_GROUP_ALLOWED_USERS: "-6" }, "msgt")),
    false,
  );
  assert.equal(isListed("msgt", allowing({ MSGD_ALLOWED_ROLES: "9" }, "msgt")), false);
  assert.equal(isListed("msgd", allowing({ MSGD_ALLOWED_ROLES: "9" }, "msgd")), true);
});
