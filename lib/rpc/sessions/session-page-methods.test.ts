import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { growingChat, said } from "../../../fixtures/sim/growing-chat.js";
import { slashWorld } from "../../../fixtures/sim/slash-world.js";
import type { CallContext, ClientContext } from "../../backplane/methods.js";
import type { SessionId } from "../../base/units.js";
import type { ChatApi } from "../../contracts/chat/chat.js";
import type { PagePlace, SessionPage } from "../../contracts/wire/shapes/session-page.js";
import { TOOLS } from "../../tools/index.gen.js";
import { createToolRegistry } from "../../tools/registry/tool-registry.js";
import { sessionPageMethods } from "./session-page-methods.js";

/** Calls of a front end. */
function caller(chat: ChatApi, id: SessionId) {
  const methods = sessionPageMethods(chat, {
    tools: async () => createToolRegistry(TOOLS, []),
    redact: (text) => text.replaceAll("hunter2", "***"),
  });
  return async <T>(name: string, params: object): Promise<T> => {
    const method = methods.get(name) ?? assert.fail(name);
    return (await method.run(
      method.params.parse({ session_id: id, ...params }),
      {} as ClientContext,
      {} as CallContext,
    )) as T; // these methods ask nothing of their caller; the test names what they answer
  };
}

async function setup(t: TestContext) {
  const world = slashWorld(t);
  const { id } = await world.create();
  for (const text of ["one", "two", "three", "four"]) await world.say(id, text);
  return { call: caller(world.chat, id), id };
}

const texts = ({ messages }: SessionPage) => messages.map(({ content }) => content);

test("a conversation is read page by page from its end to its beginning, and back", async (t) => {
  const { call } = await setup(t);
  const last = await call<SessionPage>("session.page", { limit: 3 });
  assert.deepEqual(texts(last), ["heard: three", "four", "heard: four"]);
  const middle = await call<SessionPage>("session.page", { limit: 4, before: last.older });
  assert.deepEqual(texts(middle), ["heard: one", "two", "heard: two", "three"]);
  const first = await call<SessionPage>("session.page", { limit: 4, before: middle.older });
  assert.deepEqual([texts(first), first.older], [["one"], null]);
  const again = await call<SessionPage>("session.page", { limit: 2, after: middle.older });
  assert.deepEqual(texts(again), ["two", "heard: two"]);
  const rest = await call<SessionPage>("session.page", { limit: 200, after: again.newer });
  assert.deepEqual([texts(rest), rest.newer], [["three", "heard: three", "four", "heard: four"], null]);
});

test("a page says how the turns ended whose last message it holds, and what they used", async (t) => {
  const { call, id } = await setup(t);
  const turns = ({ turns: ends = [] }: SessionPage) => ends.map(({ turn_id }) => turn_id);
  const last = await call<SessionPage>("session.page", { limit: 3 });
  assert.deepEqual(turns(last), [`${id}:3`, `${id}:4`]);
  const middle = await call<SessionPage>("session.page", { limit: 4, before: last.older });
  assert.deepEqual(turns(middle), [`${id}:1`, `${id}:2`], "the third one goes on behind this page");
  const [end] = last.turns ?? [];
  assert.equal(end?.model, "", "none is known of answers without usage");
  assert.ok(end !== undefined && end.duration_ms >= 0 && !Number.isNaN(Date.parse(end.ended_at)));
});

test("a text is found wherever it stands in a conversation, and one message can be read by its place", async (t) => {
  const { call } = await setup(t);
  const { found } = await call<{ found: readonly PagePlace[] }>("session.find", { text: "TWO" });
  assert.equal(found.length, 2);
  const [place] = found;
  assert.equal((await call<{ content: string }>("session.message", { ...place })).content, "two");
});

test("what was said before a compaction is read like the rest, and nothing of it twice", async (t) => {
  const { world, session } = await growingChat(t, { answer: (_, turn) => said(`answer ${turn}`) });
  const asked = ["a", "b", "c", "d", "e", "f"].map((name) => `question ${name}`);
  for (const text of asked) await world.say(session, text);
  const { new_session_id: next } = await world.chat.compact(session.id, {});
  assert.notEqual(next, session.id);
  const call = caller(world.chat, next ?? session.id);
  const { turns: [ended] = [] } = await call<SessionPage>("session.page", { limit: 200 });
  assert.deepEqual(
    [ended?.input_tokens, ended?.output_tokens],
    [1_000, 5],
    "of its own requests, in whichever segment",
  );
  assert.equal(ended?.model, "m1");
  const pages: SessionPage[] = [];
  for (let before: PagePlace | null | undefined; before !== null; before = pages[0]?.older ?? null)
    pages.unshift(await call<SessionPage>("session.page", { limit: 5, ...(before === undefined ? {} : { before }) }));
  const users = pages.flatMap(({ messages }) =>
    messages.filter(({ role, kind }) => role === "user" && kind === undefined).map(({ content }) => content),
  );
  assert.deepEqual(users, asked);
});

test("a call that is read from the store is announced as it was when it ran, without secrets", async (t) => {
  const search = { tool_calls: [{ name: "search_files", arguments: { pattern: "hunter2", target: "content" } }] };
  const { world, session } = await growingChat(t, { answer: (_request, turn) => (turn === 0 ? search : said("done")) });
  const { events } = await world.say(session, "search");
  const live = events.find(({ event }) => event === "tool.started")?.data ?? {};
  const page = await caller(world.chat, session.id)<SessionPage>("session.page", { limit: 10 });
  const previews = page.messages.find(({ call_previews: given }) => given !== undefined)?.call_previews;
  assert.deepEqual(previews, { [String(live["call_id"])]: String(live["preview"]).replaceAll("hunter2", "***") });
  assert.match(String(live["preview"]), /hunter2/);
});
