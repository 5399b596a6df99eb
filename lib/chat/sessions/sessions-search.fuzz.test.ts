import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { openFileStore } from "../../../storage/file/open.js";
import { sessionMigrations } from "../../../storage/schema/sessions.js";
import { randomIds } from "../../base/ids.js";
import { silentLog } from "../../base/log/log.js";
import { openTranscript } from "../transcript/transcript.js";
import { createSessions } from "./sessions.js";
import { deleteLineage } from "./sessions-delete.js";
import { createSessionSearch } from "./sessions-search.js";

function setup(t: TestContext) {
  const clock = manualClock();
  const spec = { name: "sessions", path: "", kind: "sessions", migrations: sessionMigrations } as const;
  const store = openFileStore(spec, { host: "inline", memory: true, clock, log: silentLog });
  t.after(() => store.close());
  const sessions = createSessions({ store, clock, ids: randomIds });
  const say = async (content: string) => {
    const session = await sessions.create({ source: "cli", cwd: "/", profile: "default", model: "m", provider: "p" });
    const transcript = openTranscript({ store, clock }, session);
    const { turn } = await transcript.beginTurn({ role: "user", content });
    const calls = [{ id: "c", name: content.slice(0, 20), arguments: JSON.stringify({ content }) }];
    await transcript.append(turn, [{ role: "assistant", content: "", toolCalls: calls }]);
    await transcript.endTurn(turn, { exit_reason: "text_response" } as never); // the store reads the reason alone
    return session.id;
  };
  const forget = (id: Awaited<ReturnType<typeof say>>) =>
    deleteLineage({ store, clock, files: { remove: () => undefined, backups: () => [] } }, id);
  return { store, search: createSessionSearch(store, clock), say, forget };
}

const PIECES = [
  '"',
  "*",
  "OR",
  "NOT",
  "AND",
  "NEAR(",
  ")",
  "(",
  "^",
  ":",
  "-",
  "+",
  "{",
  "}",
  "'",
  "\\",
  "%",
  "_",
  "a",
  "b*",
  "東京",
  "ก",
  "é",
  "\0",
  "\ud800",
  "🦓",
  " ",
];
const query = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.array(fc.constantFrom(...PIECES)).map((parts) => parts.join(" ")),
  fc.array(fc.constantFrom(...PIECES)).map((parts) => parts.join("")),
);

test("no query makes a search fail", async (t) => {
  const { search, say } = setup(t);
  await say('a "b" 東京都 é ( ) * % _ -');
  await fc.assert(
    fc.asyncProperty(query, async (text) => {
      await search.search(text, { limit: 5 });
    }),
    { numRuns: 1_500 },
  );
});

const HAN = Array.from("東京都天気調漢字語学校時間水火木金土日月人口山川");

test("any part of a text in a script without spaces is found, and nothing that is not in it", async (t) => {
  const { search, say, forget } = setup(t);
  const text = fc.array(fc.constantFrom(...HAN), { minLength: 2, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(text, fc.nat(), fc.nat(), async (chars, from, length) => {
      const id = await say(chars.join(""));
      const start = from % (chars.length - 1);
      const part = chars.slice(start, start + 2 + (length % 5)).join("");
      const { hits } = await search.search(part, { limit: 100 });
      assert.ok(hits.some((hit) => hit.session_id === id));
      for (const hit of hits) assert.match(hit.snippet.replaceAll(">>>", "").replaceAll("<<<", ""), new RegExp(part));
      await forget(id);
    }),
    { numRuns: 100 },
  );
});

test("a deleted message of any content leaves nothing in the index", async (t) => {
  const { store, search, say, forget } = setup(t);
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string({ unit: "binary" }), query), async (content) => {
      await forget(await say(`${content} quuxzebra ${content}`));
      assert.deepEqual((await search.search("quuxzebra", { limit: 5 })).hits, []);
      const left = await store.read((q) => q.get("SELECT count(*) AS n FROM message_index_docsize"));
      assert.deepEqual(left, { n: 0 });
    }),
    { numRuns: 300 },
  );
  await store.script("sound", [
    { sql: "INSERT INTO message_index (message_index) VALUES ('integrity-check')", args: [] },
  ]);
  const words = "SELECT count(*) AS n FROM message_index_data WHERE instr(block, CAST(? AS BLOB)) > 0";
  assert.deepEqual(await store.read((q) => q.get(words, ["uxzebra"])), { n: 0 });
});
