import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import { slashWorld } from "../../../fixtures/sim/slash-world.js";
import type { SessionId } from "../../base/units.js";

interface Message {
  readonly id: number;
  readonly role: string;
  readonly content: string;
  readonly timestamp: string;
  readonly anchor?: boolean;
}

interface Answer {
  readonly success: boolean;
  readonly mode: string;
  readonly error?: string;
  readonly hint?: string;
  readonly warning?: string;
  readonly query_used?: string;
  readonly count: number;
  readonly sessions_searched: number;
  readonly message?: string;
  readonly session_id: string;
  readonly message_count: number;
  readonly truncated: boolean;
  readonly window: number;
  readonly messages: readonly Message[];
  readonly messages_before: number;
  readonly messages_after: number;
  readonly results: readonly {
    readonly session_id: string;
    readonly title: string | null;
    readonly preview: string;
    readonly message_count: number;
    readonly match_message_id: number;
    readonly snippet: string;
    readonly bookend_start: readonly Message[];
    readonly bookend_end: readonly Message[];
    readonly messages: readonly Message[];
    readonly messages_before: number;
    readonly messages_after: number;
  }[];
}

/** Conversations with a model that calls `session_search` when it is told `search: {...}`. */
function recalling(t: TestContext) {
  const world = slashWorld(t, {
    reply: async (request) => {
      const last = request.messages.at(-1);
      const said = last?.role === "user" ? /^search: (.*)$/s.exec(last.content)?.[1] : undefined;
      if (said === undefined) return { content: last?.role === "tool" ? "found" : `heard: ${last?.content ?? ""}` };
      return {
        finish: "tool_calls" as const,
        toolCalls: [{ id: `c${request.messages.length}`, name: "session_search", arguments: said }],
      };
    },
  });
  const make = async (texts: readonly string[]) => {
    const { id } = await world.create();
    for (const text of texts) await world.say(id, text);
    return id;
  };
  const ask = async (args: Readonly<Record<string, unknown>>, from?: SessionId): Promise<Answer> => {
    await world.say(from ?? (await world.create()).id, `search: ${JSON.stringify(args)}`);
    return JSON.parse(world.requests.at(-1)?.messages.at(-1)?.content ?? ""); // the tool answers JSON
  };
  return { ...world, make, ask };
}

const texts = (messages: readonly Message[]) => messages.map(({ content }) => content);

test("a search that finds nothing says how many sessions it looked through, and that results of tools were left out", async (t) => {
  const { make, ask } = recalling(t);
  await make(["one"]);
  await make(["two"]);
  const found = await ask({ query: "zebra" });
  assert.deepEqual([found.count, found.sessions_searched], [0, 2]);
  assert.match(
    String(found.message),
    /Nothing found in 2 sessions\. Searched were messages of user, assistant; role_filter chooses others/,
  );
});

test("C33: the newest sessions are listed, and a word is found with what stands around it, its session's beginning and end", async (t) => {
  proves(t, "tool.session-search.modes", "tool.session-search.window", "tool.session-search.plain");
  const { make, ask } = recalling(t);
  const id = await make(["one", "two", "three zebra", "four", "five", "six"]);
  const browsed = await ask({});
  assert.deepEqual([browsed.success, browsed.mode, browsed.count], [true, "browse", 1]);
  const [row] = browsed.results;
  assert.deepEqual([row?.session_id, row?.title, row?.preview, row?.message_count], [id, "one", "one", 12]);
  const found = await ask({ query: "zebra", role_filter: "user" });
  const [hit] = found.results;
  assert.ok(hit);
  assert.deepEqual([found.mode, found.count, found.sessions_searched, hit.session_id], ["discover", 1, 2, id]);
  assert.equal(hit.snippet, "three >>>zebra<<<");
  const anchors = hit.messages.filter(({ anchor }) => anchor === true);
  assert.deepEqual([texts(anchors), anchors[0]?.id], [["three zebra"], hit.match_message_id]);
  // Five before it would reach beyond the beginning: there are four.
  assert.deepEqual([hit.messages.length, hit.messages_before, hit.messages_after], [10, 0, 2]);
  assert.deepEqual(texts(hit.bookend_start), ["one", "heard: one", "two"]);
  assert.deepEqual(texts(hit.bookend_end), ["heard: five", "six", "heard: six"]);
});

test("C34: a short session is shown by both of its ends", async (t) => {
  const { make, ask } = recalling(t);
  await make(["a zebra", "b"]);
  const [hit] = (await ask({ query: "heard zebra" })).results;
  assert.deepEqual(texts(hit?.bookend_start ?? []), ["a zebra", "heard: a zebra", "b"]);
  assert.deepEqual(texts(hit?.bookend_end ?? []), ["heard: a zebra", "b", "heard: b"]);
});

test("C35: the last message of a window is the first anchor of the next, and stands in both", async (t) => {
  proves(t, "tool.session-search.scroll");
  const { make, ask } = recalling(t);
  const id = await make(["one", "two", "three", "four", "five", "six", "seven", "eight"]);
  const start = (await ask({ query: "one", role_filter: "user" })).results[0]?.match_message_id;
  const first = await ask({ session_id: id, around_message_id: start });
  assert.deepEqual([first.mode, first.window, first.messages.length, first.messages_before], ["scroll", 5, 6, 0]);
  const last = first.messages.at(-1)?.id;
  const second = await ask({ session_id: id, around_message_id: last });
  assert.equal(second.messages.length, 11);
  assert.ok(second.messages.some((message) => message.id === last && message.anchor === true));
  assert.equal(second.messages_before + second.messages.length + second.messages_after, 16);
});

test("C36: any part of a text without spaces is found", async (t) => {
  const { make, ask } = recalling(t);
  const id = await make(["漢字テスト処理"]);
  // The conversations that ask hold the same words.
  const finds = async (query: string) =>
    (await ask({ query, role_filter: "user", limit: 10 })).results.some(({ session_id }) => session_id === id);
  for (const query of ["テスト", "字テ", "処理", "漢字テスト処理", "理"]) {
    assert.ok(await finds(query), query);
  }
  assert.equal(await finds("テト"), false);
  assert.match(
    (await ask({ query: "テスト", role_filter: "user", sort: "oldest" })).results[0]?.snippet ?? "",
    />>>テスト<<</,
  );
});

test("the conversation that asks, its branches and hidden sources are left out", async (t) => {
  const { make, ask, slash, create, say } = recalling(t);
  const own = await make(["own zebra"]);
  await slash("/branch b", own);
  const child = await create({ source: "subagent" });
  await say(child.id, "hidden zebra");
  assert.equal((await ask({ query: "zebra" }, own)).count, 0);
  assert.equal((await ask({}, own)).count, 0);
  const other = await make(["other zebra"]);
  assert.deepEqual(
    (await ask({ query: "zebra" }, own)).results.map(({ session_id }) => session_id),
    [other],
  );
  assert.equal((await ask({ query: "zebra" })).count, 2); // a branch and its parent are one
});

test("reading shows the beginning and the end of a session and says what is in between", async (t) => {
  const { make, ask } = recalling(t);
  const id = await make(Array.from({ length: 20 }, (_, n) => `text ${n}`));
  const read = await ask({ session_id: `default/${id}` });
  assert.deepEqual([read.mode, read.message_count, read.truncated, read.messages.length], ["read", 40, true, 30]);
  assert.equal(read.messages.at(-1)?.content, "heard: text 19");
  const short = await make(["hi"]);
  assert.equal((await ask({ session_id: short })).truncated, false);
});

const WRONG: readonly (readonly [what: string, args: Readonly<Record<string, unknown>>, says: RegExp])[] = [
  ["a message without its session", { around_message_id: 3 }, /do not go together: give nothing.*session_id/],
  ["a session and a query", { session_id: "x", query: "y" }, /do not go together/],
  ["a session that is not there", { session_id: "20200101_000000_aaaaaa" }, /no such session/],
  ["another profile", { session_id: "work/20200101_000000_aaaaaa" }, /no sessions of profile "work"/],
  ["a role that is none", { query: "x", role_filter: "user,system" }, /'system' is no role/],
];

for (const [what, args, says] of WRONG) {
  test(`a tool error tells what is wrong: ${what}`, async (t) => {
    proves(t, "tool.session-search.errors");
    const { make, ask } = recalling(t);
    await make(["one"]);
    const answer = await ask(args);
    assert.equal(answer.success, false);
    assert.match(answer.error ?? "", says);
  });
}

test("an unknown message is an error, one of another segment is shown with a warning, the own conversation is refused", async (t) => {
  const { make, ask, chat, store, clock } = recalling(t);
  const id = await make(["one", "two"]);
  const unknown = await ask({ session_id: id, around_message_id: 99_999 });
  assert.deepEqual([unknown.success, /has no message 99999/.test(unknown.error ?? "")], [false, true]);
  const { openTranscript } = await import("../transcript/transcript.js");
  const transcript = openTranscript({ store, clock }, (await chat.get(id)) ?? assert.fail());
  const next = "20260302_000000_abcdef" as SessionId; // an id of this test
  const event = { ok: true, reason: "manual", method: "local", count: 1, duration_ms: 1 } as const;
  const numbers = { tokens_before: 1, tokens_after: 1, messages_before: 4, messages_after: 0 };
  await transcript.nextSegment({ id: next, items: [], records: {}, event: { ...event, ...numbers } });
  await chat.resume(next, { source: "cli", cwd: "/", env: {} }); // what is open goes on there
  const [first] = await chat.messages(id);
  const moved = await ask({ session_id: next, around_message_id: first?.id });
  assert.deepEqual([moved.success, moved.session_id], [true, id]);
  assert.match(moved.warning ?? "", /another segment/);
  const own = await ask({ session_id: id, around_message_id: first?.id }, next);
  assert.deepEqual([own.success, /present conversation/.test(own.error ?? "")], [false, true]);
});

const ODD = [
  '"',
  "''",
  "NEAR(a b)",
  "a AND",
  "NOT",
  "OR OR",
  "*",
  "col:word",
  "-x",
  "^x",
  "{a}",
  "(",
  "\\",
  "%",
  "_",
  "\u0000",
  "\ud800",
  "!!!",
];

for (const query of ODD) {
  test(`a search never fails because of its characters: ${JSON.stringify(query)}`, async (t) => {
    const { make, ask } = recalling(t);
    await make(["a word col x"]);
    assert.equal((await ask({ query })).success, true);
  });
}
