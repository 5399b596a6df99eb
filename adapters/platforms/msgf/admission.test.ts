import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import { refused, startMsgf } from "../../../fixtures/servers/msgf/server.js";
import {
  APP,
  BOT_MENTION,
  groupEvent,
  type MsgfWorldOptions,
  messageEvent,
  msgfWorld,
} from "../../../fixtures/worlds/msgf-world.js";

async function connected(t: TestContext, options: MsgfWorldOptions = {}) {
  const world = await msgfWorld(t, options);
  await world.reaches("connected");
  return world;
}

/** Names of the events that were stored, after all of them were acknowledged. */
async function stored(
  t: TestContext,
  events: readonly object[],
  options: MsgfWorldOptions = {},
): Promise<readonly string[]> {
  const { server, received } = await connected(t, options);
  for (const event of [...events, messageEvent("om_end", "end")]) server.push(event);
  await server.until(() => server.acks.length === events.length + 1);
  assert.ok(server.acks.every(({ code }) => code === 200));
  const rows = await received(1);
  return rows.map(({ event_id: id }) => id).filter((id) => id !== "om_end");
}

const asBot = { sender_id: { open_id: "ou_other" }, sender_type: "app" };
const mentioned = { mentions: [BOT_MENTION], content: '{"text":"@_user_1 hi"}' };
const rule = (one: object) => ({ block: { group_rules: { oc_x: one } } });
const bob = { sender_id: { open_id: "ou_bob" } };

const RULES: readonly (readonly [what: string, taken: boolean, event: object, options: MsgfWorldOptions])[] = [
  ["GW-92: a group without a mention", false, groupEvent("m", "hi"), {}],
  ["GW-92: a group with a mention of the bot's id", true, groupEvent("m", "hi", mentioned), {}],
  [
    "a mention of somebody with the bot's name",
    false,
    groupEvent("m", "hi", { mentions: [{ ...BOT_MENTION, id: { open_id: "ou_x" } }] }),
    {},
  ],
  ["GW-93: no mention where this group needs none", true, groupEvent("m", "hi"), rule({ require_mention: false })],
  [
    "GW-93: no mention in another group",
    false,
    groupEvent("m", "hi", { chat_id: "oc_y" }),
    rule({ require_mention: false }),
  ],
  [
    "GW-94: a message of the bot itself",
    false,
    messageEvent("m", "hi", { sender: { sender_id: { open_id: "ou_bot" }, sender_type: "app" } }),
    { env: { MSGF_ALLOW_BOTS: "all", MSGF_ALLOW_ALL_USERS: "true" } },
  ],
  [
    "GW-94: a message of the bot itself in an open group",
    false,
    groupEvent("m", "hi", mentioned, { sender_id: { open_id: "ou_bot" } }),
    { env: { MSGF_GROUP_POLICY: "open", MSGF_REQUIRE_MENTION: "false" } },
  ],
  ["GW-98: everybody is called", false, groupEvent("m", "@_all hi"), {}],
  [
    "everybody is called, where that counts",
    true,
    groupEvent("m", "@_all hi"),
    { block: { mention_all_counts: true } },
  ],
  ["a bot", false, messageEvent("m", "hi", { sender: asBot }), {}],
  ["a bot where bots may talk", true, messageEvent("m", "hi", { sender: asBot }), { env: { MSGF_ALLOW_BOTS: "all" } }],
  [
    "a bot that mentions nobody, where it has to",
    false,
    messageEvent("m", "hi", { sender: asBot }),
    { env: { MSGF_ALLOW_BOTS: "mentions" } },
  ],
  ["a member who is not listed", false, groupEvent("m", "hi", mentioned, bob), {}],
  [
    "a member who is not listed, in an open group",
    true,
    groupEvent("m", "hi", mentioned, bob),
    rule({ policy: "open" }),
  ],
  ["a member whom the group lists", true, groupEvent("m", "hi", mentioned, bob), rule({ allowlist: ["ou_bob"] })],
  [
    "a listed user whom the group's own list leaves out",
    false,
    groupEvent("m", "hi", mentioned),
    rule({ allowlist: ["ou_bob"] }),
  ],
  [
    "everybody, where all users may talk",
    true,
    groupEvent("m", "hi", mentioned, bob),
    { env: { MSGF_ALLOW_ALL_USERS: "yes" } },
  ],
  [
    "somebody on the blacklist",
    false,
    groupEvent("m", "hi", mentioned, bob),
    rule({ policy: "blacklist", blacklist: ["ou_bob"] }),
  ],
  [
    "somebody who is not on the blacklist",
    true,
    groupEvent("m", "hi", mentioned),
    rule({ policy: "blacklist", blacklist: ["ou_bob"] }),
  ],
  [
    "a member where admins alone may talk",
    false,
    groupEvent("m", "hi", mentioned),
    { env: { MSGF_GROUP_POLICY: "admin_only" } },
  ],
  [
    "an admin",
    true,
    groupEvent("m", "hi", mentioned),
    { env: { MSGF_GROUP_POLICY: "admin_only" }, block: { admins: ["ou_u"] } },
  ],
  [
    "an admin where groups are shut",
    false,
    groupEvent("m", "hi", mentioned),
    { env: { MSGF_GROUP_POLICY: "disabled" }, block: { admins: ["ou_u"] } },
  ],
  [
    "a read receipt",
    false,
    { schema: "2.0", header: { event_id: "m", event_type: "im.message.message_read_v1" }, event: {} },
    {},
  ],
  [
    "a message of a shape that nobody knows",
    false,
    { schema: "2.0", header: { event_id: "m", event_type: "im.message.receive_v1" }, event: { message: 1 } },
    {},
  ],
  ["a message without text", false, messageEvent("m", "  "), {}],
];

for (const [what, taken, event, options] of RULES) {
  test(`${what} is ${taken ? "received" : "left"} and acknowledged`, async (t) => {
    proves(t, "msgf.bots-and-mentions");
    assert.deepEqual(await stored(t, [event], options), taken ? ["m"] : []);
  });
}

test("bots are left while no one knows who this bot is, and its identity is asked for again", async (t) => {
  proves(t, "msgf.peer-bots");
  const server = await startMsgf(APP);
  server.next("bot", refused(11_205, "app do not have bot", 200), refused(11_205, "app do not have bot", 200));
  const world = await msgfWorld(t, { server, env: { MSGF_ALLOW_BOTS: "all" } });
  await world.reaches("connected");
  for (const id of ["om_1", "om_2", "om_3"]) {
    world.clock.advance(5000);
    server.push(messageEvent(id, "hi", { sender: asBot }));
    await server.until(() => server.acks.length === Number(id.at(-1)));
  }
  assert.deepEqual(
    (await world.received(1)).map(({ event_id: id }) => id),
    ["om_2", "om_3"],
  );
});
