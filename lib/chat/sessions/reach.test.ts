import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { sessionStore } from "../../../fixtures/sim/session-store.js";
import type { SessionId } from "../../base/units.js";
import type { RecallRequest } from "../../contracts/chat/recall.js";
import { openTranscript } from "../transcript/transcript.js";
import { createRecall } from "./recall.js";
import { createSessionSearch } from "./sessions-search.js";

const ASK = { limit: 10, window: 5, roles: ["user", "assistant"], sort: "relevance" } as const satisfies RecallRequest;

/** Two conversations about the same, of which one may be seen. */
async function setup(t: TestContext, reach: "one" | "none") {
  const { clock, store, sessions } = sessionStore(t);
  const say = async (text: string) => {
    clock.advance(1_000);
    const made = await sessions.create({ source: "msgt", cwd: "/", profile: "default", model: "m", provider: "p" });
    const { message } = await openTranscript({ store, clock }, made).beginTurn({ role: "user", content: text });
    return { session_id: made.id, around_message_id: message.id };
  };
  const mine = await say("my zebra!!");
  const theirs = await say("their zebra!!");
  const recall = createRecall({
    store,
    sessions,
    search: createSessionSearch(store, clock),
    profile: "default",
    asking: "none" as SessionId, // it is not stored
    reach: new Set(reach === "none" ? [] : [mine.session_id]),
    elsewhere: async (_profile, look) => look(store),
  });
  return { mine, theirs, ask: (request: Partial<RecallRequest>) => recall.recall({ ...ASK, ...request }) };
}

const idsIn = (answer: Readonly<Record<string, unknown>>): unknown =>
  (answer["results"] as { session_id: string }[]).map(({ session_id }) => session_id); // both ways of looking give a list

for (const [way, request] of [
  ["by words", { query: "zebra" }],
  ["by signs alone", { query: "!!" }],
  ["by the oldest", { query: "zebra", sort: "oldest" }],
  ["by the newest", {}],
] as const) {
  test(`a conversation finds of others only those that it may see: ${way}`, async (t) => {
    const { mine, ask } = await setup(t, "one");
    assert.deepEqual(idsIn(await ask(request)), [mine.session_id]);
    const alone = await setup(t, "none");
    assert.deepEqual(idsIn(await alone.ask(request)), []);
  });
}

test("what it may not see is answered like what never was, read or scrolled, here or as that of another profile", async (t) => {
  const { mine, theirs, ask } = await setup(t, "one");
  assert.equal((await ask({ session_id: mine.session_id }))["success"], true);
  assert.equal((await ask(mine))["success"], true);
  const never = "20200101_000000_abcdef";
  const said = (request: Partial<RecallRequest>) =>
    ask(request).then(
      () => assert.fail("it was shown"),
      (error: Error) => error.message.replaceAll(request.session_id ?? "", "ID"),
    );
  const { around_message_id } = theirs;
  assert.equal(await said(theirs), await said({ session_id: never, around_message_id }));
  assert.equal(await said({ session_id: theirs.session_id }), await said({ session_id: never }));
  // A message of it is none of one's own conversation.
  await assert.rejects(ask({ session_id: mine.session_id, around_message_id }), /has no message/);
  for (const id of [mine.session_id, never])
    await assert.rejects(ask({ session_id: `work/${id}` }), /no sessions of profile "work"/);
});
