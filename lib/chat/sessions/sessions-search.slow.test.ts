import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { sessionStore } from "../../../fixtures/sim/session-store.js";
import type { NewMessage } from "../../contracts/chat/chat.js";
import { openTranscript } from "../transcript/transcript.js";
import { parseQuery } from "./sessions-query.js";
import { createSessionSearch } from "./sessions-search.js";

async function setup(t: TestContext, said: readonly (string | NewMessage[])[], source = "cli") {
  const { clock, store, sessions } = sessionStore(t);
  for (const one of said) {
    clock.advance(1_000);
    const session = await sessions.create({ source, cwd: "/", profile: "default", model: "m", provider: "p" });
    const transcript = openTranscript({ store, clock }, session);
    const { turn } = await transcript.beginTurn({ role: "user", content: typeof one === "string" ? one : "go" });
    if (typeof one !== "string") await transcript.append(turn, one);
  }
  const search = createSessionSearch(store, clock);
  const find = async (query: string) => (await search.search(query, { limit: 100 })).hits.map((hit) => hit.snippet);
  return { store, search, find };
}

const TEXTS = [
  "Fix the zebra parser in src/zebra.ts today",
  "the parser of the zebra is slow",
  "Crème brûlée à la carte",
  "東京都の天気を調べて",
  "สวัสดีครับ เมืองไทย",
  "한국어를 배우다",
  "C++ and C# are languages",
  "price: 100% of it",
  "!!! --- ???",
  "mail to someone@example.org, please",
];

/** Query, and the beginnings of the texts that it finds. */
const CASES: readonly [query: string, found: readonly string[]][] = [
  ["zebra", ["Fix the", "the parser"]],
  ["ZEBRA", ["Fix the", "the parser"]],
  ["zebra today", ["Fix the"]],
  ["zebr", []],
  ["zebr*", ["Fix the", "the parser"]],
  ['"parser of the zebra"', ["the parser"]],
  ['"zebra of the parser"', []],
  ["src/zebra.ts", ["Fix the"]],
  ["someone@example.org", ["mail to"]],
  ["creme brulee", ["Crème"]],
  ["CRÈME", ["Crème"]],
  ["東京", ["東京"]],
  ["京都", ["東京"]],
  ["天気", ["東京"]],
  ["気天", []],
  ["เมือง", ["สวัสดี"]],
  ["국어", ["한국어"]],
  ["today OR brûlée", ["Fix the", "Crème"]],
  ["zebra NOT today", ["the parser"]],
  ["OR zebra", []],
  ["C++", ["C++"]],
  ["100%", ["price"]],
  ["---", ["!!!"]],
  ["???", ["!!!"]],
  ["%", ["price"]],
  ["_", []],
  ['"', []],
  ['unclosed "zebra', []],
  ["zebra AND", []],
  ["NEAR(zebra parser)", []],
  ["text:zebra", []],
  ["^zebra", ["Fix the", "the parser"]],
  ["zebra) OR (", []],
  ["(zebra) OR (brûlée)", ["Fix the", "the parser", "Crème"]],
  ["", []],
  ["   ", []],
];

for (const [query, wanted] of CASES) {
  test(`searching ${JSON.stringify(query)} finds what it says, literally`, async (t) => {
    const { find } = await setup(t, TEXTS);
    const found = (await find(query)).map((snippet) => snippet.replaceAll(">>>", "").replaceAll("<<<", ""));
    assert.deepEqual(
      found.map((snippet) => wanted.find((beginning) => snippet.startsWith(beginning)) ?? snippet).sort(),
      [...wanted].sort(),
    );
  });
}

test("names and arguments of tool calls are found, and the match is marked", async (t) => {
  const call = { id: "1", name: "terminal", arguments: '{"command":"make quagga"}' };
  const { find } = await setup(t, [
    [
      { role: "assistant", content: "", toolCalls: [call] },
      { role: "tool", content: "ok", toolCallId: "1", toolName: "terminal", status: "ok" },
    ],
  ]);
  assert.deepEqual(await find("quagga"), ['terminal {"command":"make >>>quagga<<<"}']);
});

test("a snippet shows about 40 words around the match, accents and case marked as they are", async (t) => {
  const filler = Array.from({ length: 100 }, (_, n) => `word${n}`).join(" ");
  const { find } = await setup(t, [`${filler} the Brûlée stands here ${filler}`]);
  const [snippet] = await find("brulee");
  assert.match(snippet ?? "", /^…word.* the >>>Brûlée<<< stands here word.*…$/);
  const words = (snippet ?? "").split(" ").length;
  assert.ok(words > 30 && words < 45, `${words} words`);
});

test("what subagents and tools said is not found", async (t) => {
  const { find } = await setup(t, ["zebra"], "subagent");
  assert.deepEqual(await find("zebra"), []);
});

test("what a query was changed to is reported", async (t) => {
  const { search } = await setup(t, TEXTS);
  assert.equal((await search.search("zebra parser", { limit: 3 })).query_used, undefined);
  assert.equal((await search.search("zebra !!! parser", { limit: 3 })).query_used, "zebra parser");
  assert.match((await search.search("!!!", { limit: 3 })).query_used ?? "", /the text "!!!"/);
});

test("a query never becomes an expression of the index that the user did not mean", () => {
  assert.equal(parseQuery('a"b c').expression, '"a" AND "b" AND "c"');
  assert.equal(parseQuery("a OR NOT b").expression, '"a" AND "OR" NOT "b"');
  assert.equal(parseQuery("NOT a").expression, '"NOT" AND "a"');
  assert.equal(parseQuery("a* b").expression, '"a"* AND "b"');
  assert.equal(parseQuery("東京 x").expression, '"東京" AND "x"');
  assert.equal(parseQuery("* ( )").expression, undefined);
});
