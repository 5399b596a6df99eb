import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { ScriptRequest } from "../../../fixtures/servers/model/script.js";
import { type LifeOptions, lifeWorld } from "../../../fixtures/sim/gateway-life.js";
import type { SimPlatform } from "../../../fixtures/sim/platform.js";
import type { SessionId } from "../../base/units.js";
import { runSlash } from "../../cli/run-slash.js";
import { COMMANDS } from "../../commands/index.gen.js";
import { services } from "../../rpc/commands/command-services.js";

/** It confirms a hand-over, and otherwise says how many texts of people it was given. */
function model({ messages }: ScriptRequest) {
  const said = messages.filter(({ role }) => role === "user").map(({ content }) => String(content));
  return { text: said.at(-1)?.includes("handed over") ? "I am here." : `heard ${said.length}` };
}

async function world(t: TestContext, options: Partial<LifeOptions> = {}) {
  const life = await lifeWorld(t, {
    script: model,
    ...options,
    env: { MSGT_HOME_CHANNEL: "c1", MSGD_HOME_CHANNEL: "7", ...options.env },
  });
  const slash = async (text: string, session: SessionId) => {
    const api = life.api();
    const caller = { cwd: life.owner.work, env: {}, columns: 80, color: false, signal: new AbortController().signal };
    return runSlash({ text, session }, { ...services(life.owner.app), gateway: api, ...caller }, COMMANDS);
  };
  const terminal = async (text: string) => (await life.owner.ask(text)).session_id;
  /** Home channels are told of each start; that is not looked at here. */
  const begin = async (...told: readonly SimPlatform[]) => {
    await life.host().begin();
    for (const platform of told) {
      await life.shown(1, platform);
      platform.ledger.splice(0);
    }
  };
  return { ...life, slash, terminal, begin };
}

const texts = ({ ledger }: SimPlatform) => ledger.map(({ text }) => text);

test("/handoff lets a conversation of the terminal go on in the home channel, which says so and has its history", async (t) => {
  const { begin, say, shown, one, slash, terminal, owner } = await world(t);
  await begin(one);
  await say("1", "before");
  await shown(1);
  const session = await terminal("the plan is X");
  const answer = await slash("/handoff msgt", session);
  assert.deepEqual([answer.text, answer.exit], ["Handed off to msgt (Home); the conversation continues there.", 0]);
  await shown(2);
  await say("2", "and now?");
  await shown(3);
  // Said at the terminal, asked by the gateway, said in the chat.
  assert.deepEqual(texts(one), ["heard 1", "I am here.", "heard 3"]);
  const [row] = (await owner.chat.activity()).filter(({ session_id }) => session_id === session);
  assert.ok(row !== undefined, "the conversation is open in the chat");
  await say("3", "/resume");
  const listed = (await shown(4))[3]?.text ?? "";
  assert.ok(listed.includes(session), "it is one of its reader's");
  assert.match(listed, /before|Short Title/);
});

test("/handoff makes a thread where the platform can, named after the conversation, and whoever talks in it goes on", async (t) => {
  const { begin, host, shown, two, slash, terminal, owner } = await world(t, { env: { MSGD_ALLOWED_USERS: "u-7" } });
  const made: string[] = [];
  Object.assign(two.port, {
    createThread: async (chat: string, name: string) => {
      made.push(`${chat} ${name}`);
      return "99";
    },
    chatInfo: async (chatId: string) => ({ chatId, name: "general", type: "channel" }),
  });
  await begin(two);
  const session = await terminal("the plan is X");
  await owner.chat.rename(session, "The plan");
  const answer = await slash("/handoff msgd", session);
  assert.match(answer.text, /^Handed off to msgd \(Home, in its own thread\)/);
  assert.deepEqual(made, ["7 agent — The plan"]);
  const [told] = await shown(1, two);
  assert.equal(told?.text, "I am here.");
  const source = { chatId: "7", chatType: "thread", threadId: "99", userId: "u-7", userName: "Ann" } as const;
  const nobody = {
    chatName: null,
    userIdAlt: null,
    chatTopic: null,
    chatIdAlt: null,
    guildId: null,
    parentChatId: "7",
    messageId: "m",
  };
  await host()
    .built()
    ?.gateway.inbox.accept({
      platform: "msgd",
      account: "bot",
      eventId: "1",
      kind: "message",
      type: "text",
      text: "and now?",
      source: { ...nobody, ...source },
      media: [],
      replyToMessageId: null,
      replyToText: null,
      channelPrompt: null,
      skills: [],
      internal: false,
      extra: null,
      replyGrant: null,
      sentAt: null,
    });
  assert.equal((await shown(2, two))[1]?.text, "heard 3");
});

test("a hand-over that the model fails is failed with its reason, and the chat goes on where it was", async (t) => {
  const failing = (request: ScriptRequest) => {
    const { text } = model(request);
    return text === "I am here." ? { text: "", status: 400, body: { error: { message: "broken" } } } : { text };
  };
  const { begin, one, say, shown, slash, terminal } = await world(t, { script: failing });
  await begin(one);
  await say("1", "before");
  await shown(1);
  const session = await terminal("the plan is X");
  const answer = await slash("/handoff msgt", session);
  assert.match(answer.text, /^Handoff to msgt \(Home\) failed: ./);
  assert.equal(answer.exit, 1);
  const seen = (await shown(2)).length;
  await say("2", "again");
  assert.equal((await shown(seen + 1))[seen]?.text, "heard 2");
});

test("a hand-over that a restart cuts off is settled by the next gateway, and its chat is asked once", async (t) => {
  let first = true;
  const held = (request: ScriptRequest) => {
    const { text } = model(request);
    const hold = text === "I am here." && first;
    first &&= !hold;
    return hold ? { text, hold: "model" } : { text };
  };
  const { begin, host, next, one, say, shown, slash, terminal, owner } = await world(t, { script: held });
  await begin(one);
  const session = await terminal("the plan is X");
  const arrived = owner.model.arrived(2);
  const asked = slash("/handoff msgt", session);
  await arrived;
  await host().stop({ why: "signal", limitMs: 0 });
  assert.match((await asked).text, /has not responded yet/);
  owner.model.release("model");
  next();
  await host().begin();
  while (!texts(one).includes("I am here.")) await shown(one.ledger.length + 1);
  await say("9", "and now?");
  while (!texts(one).includes("heard 3")) await shown(one.ledger.length + 1);
  assert.equal(texts(one).filter((text) => text === "I am here.").length, 1);
});

test("what stands in the way of a hand-over is reported before anything is changed", async (t) => {
  const { begin, host, slash, terminal, owner, say, shown, one } = await world(t, {
    env: { MSGD_HOME_CHANNEL: "", MSGT_HOME_CHANNEL: "-5" },
  });
  const session = await terminal("the plan is X");
  const says = async (text: string, pattern: RegExp, id = session) => {
    const answer = await slash(text, id);
    assert.match(`${answer.text} ${String(answer.error?.data?.["hint"] ?? "")}`, pattern, text);
    assert.notEqual(answer.exit, 0);
  };
  await says("/handoff msgt", /no gateway is running[\s\S]*agent gateway start/);
  one.connects.push({ connected: false, code: "auth_failed", message: "the token is refused" });
  await begin();
  await says("/handoff", /missing platform/);
  await says("/handoff fax", /unknown platform "fax"/);
  await says("/handoff msgd", /msgd does not have a home channel[\s\S]*\/sethome.*MSGD_HOME_CHANNEL/);
  await says("/handoff msgl", /msgl does not have a home channel/);
  await says("/handoff msgt", /msgt is not connected: the token is refused/);
  await host().stop();
  await begin();
  await says("/handoff msgt", /no one has written in Home yet/);
  const secret = await owner.open({ ephemeral: true });
  await says("/handoff msgt", /in memory only/, secret.id);
  await say("1", "hello");
  while (!texts(one).includes("heard 1")) await shown(one.ledger.length + 1);
});
