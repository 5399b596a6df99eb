import assert from "node:assert/strict";
import { test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import { simMessage } from "../../../fixtures/sim/platform.js";
import type { Log } from "../../base/log/log.js";
import { silentLog } from "../../base/log/log.js";
import type { ChatType, Inbound, InboundKind, OwnDecision, PlatformTag } from "../../contracts/board/platform-tag.js";
import type { Behaviour } from "../settings/access-keys.js";
import { platformSettings } from "../settings/platform-settings.js";
import { type AdmissionDeps, createAdmission } from "./admission.js";

interface Given {
  readonly env?: Record<string, string>;
  readonly behaviour?: Behaviour;
  readonly policy?: NonNullable<AdmissionDeps["policy"]>;
  readonly paired?: boolean;
  readonly log?: Log;
}

function passage({ env = {}, behaviour, policy, paired = false, log = silentLog }: Given = {}) {
  const source = { env, raw: () => undefined };
  const all = platformSettings("gateway", source);
  return createAdmission({
    allowing: (event) => ({ platform: platformSettings(event.platform, source), all }),
    pairing: { isPaired: async () => paired, invite: async () => ({ told: "code", code: "ABCDEFGH" }) },
    behaviour: () => behaviour,
    approve: (platform, code) => `agent pairing approve ${platform} ${code}`,
    ...(policy && { policy }),
    log,
  });
}

interface Of {
  readonly platform?: PlatformTag;
  readonly type?: ChatType;
  readonly kind?: InboundKind;
  readonly decided?: OwnDecision;
}

function eventOf({ platform = "msgt", type = "dm", kind = "message", decided }: Of): Inbound {
  const one = simMessage(platform, "1", "hello", "c");
  const replyGrant = kind === "message" ? null : { token: "t", expiresAt: null };
  return {
    ...one,
    kind,
    replyGrant,
    ...(decided && { decided }),
    source: { ...one.source, chatType: type, userId: "7" },
  };
}

async function told(given: Given, of: Of): Promise<"code" | "alert" | "nothing"> {
  const seen = await passage(given)(eventOf(of));
  if (seen.passes) throw new Error("let in");
  const [send] = seen.sends;
  if (send === undefined) return "nothing";
  return send.payload.extra?.["alert"] === true ? "alert" : "code";
}

const listed = { MSGT_ALLOWED_USERS: "8" };
const CASES: readonly (readonly [string, Given, Of, "code" | "alert" | "nothing"])[] = [
  ["GW-10: a code in a direct chat where no list is", {}, {}, "code"],
  ["GW-11: nothing where a list is", { env: listed }, {}, "nothing"],
  ["GW-12: nothing where a list is, also when paired before", { env: listed, paired: true }, {}, "nothing"],
  ["GW-13: nothing in a group", {}, { type: "group" }, "nothing"],
  ["nothing in a channel, whatever is wanted", { behaviour: "pair" }, { type: "channel" }, "nothing"],
  ["nothing in a thread", { env: { MSGT_UNAUTHORIZED_DM_BEHAVIOR: "pair" } }, { type: "thread" }, "nothing"],
  [
    "a code beside a list, where the platform says so",
    { env: { ...listed, MSGT_UNAUTHORIZED_DM_BEHAVIOR: "pair" } },
    {},
    "code",
  ],
  [
    "nothing without a list, where the platform says so",
    { env: { MSGT_UNAUTHORIZED_DM_BEHAVIOR: "ignore" } },
    {},
    "nothing",
  ],
  ["nothing, where all platforms say so", { behaviour: "ignore" }, {}, "nothing"],
  [
    "what the platform says before all",
    { behaviour: "ignore", env: { MSGT_UNAUTHORIZED_DM_BEHAVIOR: "pair" } },
    {},
    "code",
  ],
  [
    "a code by a policy of pairing",
    { env: { MSGX_DM_POLICY: "pairing", MSGX_ALLOWED_USERS: "8" } },
    { platform: "msgx" },
    "code",
  ],
  ["nothing by a policy of a list", { env: { MSGX_DM_POLICY: "allowlist" } }, { platform: "msgx" }, "nothing"],
  ["nothing by a policy that shuts", { env: { MSGX_DM_POLICY: "disabled" } }, { platform: "msgx" }, "nothing"],
  ["nothing where the adapter shut the chat", { behaviour: "pair" }, { decided: "deny" }, "nothing"],
  ["nothing by a setting that cannot be meant", { env: { MSGT_UNAUTHORIZED_DM_BEHAVIOR: "maybe" } }, {}, "nothing"],
  ["an alert for a press, in a group as well", { env: listed }, { kind: "button", type: "group" }, "alert"],
  ["an alert for a postback", {}, { kind: "postback" }, "alert"],
  ["nothing for a press where no alert exists", {}, { kind: "postback", platform: "msgl" }, "nothing"],
  ["nothing for a reaction", {}, { kind: "reaction" }, "nothing"],
  ["nothing for an edit", {}, { kind: "edit" }, "nothing"],
];

for (const [what, given, of, expected] of CASES) {
  test(`a stranger gets ${what}`, async () => assert.equal(await told(given, of), expected));
}

test("the invitation has the code in monospace and the whole line that approves it", async () => {
  const seen = await passage()(eventOf({}));
  const text = seen.passes ? "" : seen.sends[0]?.payload.text;
  assert.match(text ?? "", /`ABCDEFGH`/);
  assert.match(text ?? "", /^`agent pairing approve msgt ABCDEFGH`$/m);
});

test("who is paired passes where no list is", async () => {
  assert.equal((await passage({ paired: true })(eventOf({}))).passes, true);
  assert.equal((await passage({ paired: true })(eventOf({ kind: "button" }))).passes, true);
});

test("a list that cannot be read lets no one in", async () => {
  const seen = await passage({ env: { MSGT_ALLOW_ALL_USERS: "maybe" } })(eventOf({}));
  assert.deepEqual(seen, { passes: false, reason: "not allowed", sends: [] });
});

test("groups among the users are let in as before, and named in one warning", async (t) => {
  proves(t, "msgt.legacy-users");
  const warnings: string[] = [];
  const log = { ...silentLog, warning: (text: string) => void warnings.push(text) };
  const pass = passage({ env: { MSGT_GROUP_ALLOWED_USERS: "-5" }, log });
  const inGroup = eventOf({ type: "group" });
  const here = { ...inGroup, source: { ...inGroup.source, chatId: "-5", userId: null } };
  assert.equal((await pass(here)).passes, true);
  assert.equal((await pass(here)).passes, true);
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? "", /MSGT_GROUP_ALLOWED_CHATS/);
});

test("a plugin may leave a message out, let it in, or change its words; one that fails leaves it out", async () => {
  const with_ = (policy: NonNullable<AdmissionDeps["policy"]>, env: Record<string, string>) =>
    passage({ policy, env })(eventOf({}));
  const mine = { MSGT_ALLOWED_USERS: "7" };
  assert.equal((await with_(async () => ({ action: "skip" }), mine)).passes, false);
  assert.equal((await with_(async () => ({ action: "allow" }), listed)).passes, true);
  const changed = await with_(async () => ({ action: "rewrite", text: "other" }), mine);
  assert.equal(changed.passes && changed.event.text, "other");
  assert.equal((await with_(async () => ({ action: "rewrite", text: "other" }), listed)).passes, false);
  assert.equal((await with_(() => Promise.reject(new Error("no")), mine)).passes, false);
});
