import assert from "node:assert/strict";
import { test } from "node:test";
import type { ScriptRequest } from "../../../fixtures/servers/model/script.js";
import { chatGateway } from "../../../fixtures/sim/chat-gateway.js";
import { simMessage } from "../../../fixtures/sim/platform.js";
import type { Inbound } from "../../contracts/board/platform-tag.js";

type World = Awaited<ReturnType<typeof chatGateway>>;

const TWO = { MSGT_ALLOWED_USERS: "u-c1,u-c2" };

/** What of a result people would read, short enough for one message. */
const partsOf = (json: string): string =>
  [...new Set(json.match(/"(snippet|preview|content|error|count)":("[^"]*"|\d+)/g))].join(" ").slice(0, 1_500);

/** It calls the tool when it is told `search: {...}`, and says what it found. */
function recalling({ messages }: ScriptRequest) {
  const last = messages.at(-1);
  if (last?.role === "tool") return { text: `found ${partsOf(String(last.content))}` };
  const said = /search: (.*)$/s.exec(String(last?.content))?.[1];
  return said === undefined ? { text: "heard" } : { tool_calls: [{ name: "session_search", arguments: said }] };
}

let serial = 0;

/** What the chat reads of a message. */
async function answer(world: World, event: Inbound): Promise<string> {
  const before = world.platform.ledger.length;
  await world.deliver(event);
  return (await world.shown(before + 1))[before]?.text ?? "";
}

const says = (text: string, chat?: string) => simMessage("msgt", `e${serial++}`, text, chat);

/** Said by one person in a group, in a conversation of that person unless a thread is given. */
function inGroup(text: string, user: string, threadId: string | null = null): Inbound {
  const event = says(text, "-g1");
  const chatType = threadId === null ? "group" : "thread";
  return { ...event, source: { ...event.source, chatType, userId: user, threadId } };
}

const looks = (args: object) => `search: ${JSON.stringify(args)}`;

/** Ids of the conversations that texts were said in. */
async function idsOf(world: World, ...texts: readonly string[]) {
  const all = await world.owner.chat.list({});
  return texts.map((text) => all.find(({ preview }) => preview === text)?.id ?? assert.fail(text));
}

test("P6: the model of one person's chat finds nothing of another person's; who sits at the machine finds everything", async (t) => {
  const world = await chatGateway(t, { script: recalling, env: TWO });
  await answer(world, says("the zebra is mine"));
  await answer(world, says("a second one", "c2"));
  await world.owner.ask("the zebra of the terminal");
  const [mine = "", local = ""] = await idsOf(world, "the zebra is mine", "the zebra of the terminal");
  await answer(world, says("/new", "c2"));
  for (const args of [{ query: "zebra" }, { session_id: local }])
    assert.doesNotMatch(await answer(world, says(looks(args), "c2")), /the zebra|>>>zebra/, JSON.stringify(args));
  assert.match(await answer(world, says(looks({ query: "second" }), "c2")), /a >>>second<<< one/);
  assert.match(await answer(world, says(looks({ session_id: mine }), "c2")), /no such session/);
  await answer(world, says("/new"));
  assert.match(await answer(world, says(looks({ query: "zebra" }))), /the >>>zebra<<< is mine/);
  // Who sits at the machine finds what was said in every chat.
  const { final_response } = await world.owner.ask(looks({ query: "zebra" }));
  assert.match(final_response, /the >>>zebra<<< is mine/);
});

test("an admin finds what was said in every chat, in a shared thread what was said there", async (t) => {
  const env = { ...TWO, MSGT_ALLOW_ADMIN_FROM: "u-c2" };
  const world = await chatGateway(t, { script: recalling, env });
  await answer(world, says("the zebra is mine"));
  assert.match(await answer(world, says(looks({ query: "zebra" }), "c2")), /the >>>zebra<<< is mine/);
  assert.match(await answer(world, inGroup(looks({ query: "zebra" }), "u-c2")), /the >>>zebra<<< is mine/);
  assert.doesNotMatch(await answer(world, inGroup(looks({ query: "zebra" }), "u-c2", "7")), /is mine/);
});

test("in a group the model finds nothing of direct chats, not even those of the person who asks", async (t) => {
  const world = await chatGateway(t, { script: recalling, env: TWO });
  await answer(world, says("the zebra is private"));
  await answer(world, inGroup("the zebra of the group", "u-c1"));
  await answer(world, inGroup("/new", "u-c1"));
  const found = await answer(world, inGroup(looks({ query: "zebra" }), "u-c1"));
  assert.match(found, /the >>>zebra<<< of the group/);
  assert.doesNotMatch(found, /private/);
  assert.doesNotMatch(await answer(world, inGroup(looks({ query: "zebra" }), "u-c2")), /the >>>zebra/);
});

test("a question in the background sees no more than the chat that asked it", async (t) => {
  const world = await chatGateway(t, { script: recalling, env: TWO });
  await answer(world, says("the zebra is mine"));
  const before = world.platform.ledger.length;
  await world.deliver(says(`/background ${looks({ query: "zebra" })}`, "c2"));
  const shown = (await world.shown(before + 2)).slice(before).map(({ text }) => text);
  assert.match(shown.find((text) => text.startsWith("🔎")) ?? "", /found .*"count":0/);
});
