import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { sessionStore } from "../../../fixtures/sim/session-store.js";
import { AppError } from "../../base/errors.js";
import type { SessionId } from "../../base/units.js";
import type { NewMessage, Transcript, TurnResult } from "../../contracts/chat/chat.js";
import type { NextSegment, SegmentItem } from "../../contracts/chat/compact.js";
import { exportLineage } from "../sessions/export.js";
import { deleteLineage } from "../sessions/sessions-delete.js";
import { createSessionSearch } from "../sessions/sessions-search.js";
import { openTranscript } from "./transcript.js";
import { sessionEvents } from "./transcript-events.js";
import { transcriptMethods } from "./transcript-methods.js";
import { closeOpenTurns } from "./transcript-recovery.js";
import { remoteTranscript } from "./transcript-remote.js";

async function setup(t: TestContext, more: { title?: string } = {}) {
  const { clock, store, sessions } = sessionStore(t, manualClock("2026-03-01T12:00:00Z"));
  const made = { source: "cli", cwd: "/", profile: "default", model: "m", provider: "p", ...more } as const;
  const transcript = openTranscript({ store, clock }, await sessions.create(made));
  const search = createSessionSearch(store, clock);
  const exported = async () => {
    let text = "";
    for await (const chunk of exportLineage(store, transcript.session.id, "jsonl")) text += chunk;
    const lines = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string; content?: string }); // written by the export
    return lines.filter(({ type }) => type === "message").map(({ content }) => content);
  };
  return { clock, store, sessions, transcript, search, exported };
}

const user = (content: string): NewMessage => ({ role: "user", content });
const ended = { exit_reason: "text_response" } as unknown as TurnResult; // the store reads the reason alone
const code = (wanted: string) => (error: unknown) => error instanceof AppError && error.code === wanted;

async function exchange(transcript: Transcript, asked: string, told: string): Promise<void> {
  const { turn } = await transcript.beginTurn(user(asked));
  await transcript.append(turn, [{ role: "assistant", content: told }]);
  await transcript.endTurn(turn, ended);
}

const event: NextSegment["event"] = {
  ok: true,
  reason: "manual",
  method: "model",
  tokens_before: 9,
  tokens_after: 3,
  duration_ms: 1,
  count: 1,
  messages_before: 4,
  messages_after: 3,
};

const segment = (id: string, items: readonly SegmentItem[], more: Partial<NextSegment> = {}): NextSegment => ({
  id: id as SessionId,
  items,
  records: {},
  event, // ids of this test
  ...more,
});
const summary = (content: string) => ({ role: "assistant", content, kind: "summary" }) as const;
const shown = (messages: readonly { role: string; content: string }[]) =>
  messages.map(({ role, content }) => `${role}:${content}`);

test("what is kept stands in the new segment, and the old one stays whole and closed", async (t) => {
  const { transcript, sessions } = await setup(t, { title: "Work" });
  const old = transcript.session.id;
  await exchange(transcript, "one", "first");
  await exchange(transcript, "two", "second");
  const before = await transcript.messages();
  const [head, , , tail] = before;
  assert.ok(head && tail);
  const kept = await transcript.nextSegment(
    segment("b", [{ id: head.id }, summary("S"), { id: tail.id, content: "cut" }]),
  );
  assert.deepEqual(shown(kept), ["user:one", "assistant:S", "assistant:cut"]);
  assert.deepEqual(shown(await transcript.messages()), shown(kept));
  assert.deepEqual(shown(await sessions.messages(old)), shown(before));
  const closed = await sessions.get(old);
  assert.deepEqual(
    [closed?.end_reason, transcript.session.parent_session_id, transcript.session.relation],
    ["compaction", old, "compaction"],
  );
  assert.deepEqual(
    [transcript.session.lineage_root, transcript.session.title, transcript.session.message_count],
    [old, "Work #2", 3],
  );
  assert.equal(kept[0]?.copiedFrom, head.id);
});

test("a title that was given beside the conversation survives its compaction, and one given afterwards its undo", async (t) => {
  const { transcript, sessions } = await setup(t, { title: "first words" });
  await exchange(transcript, "one", "first");
  const old = transcript.session.id;
  await sessions.rename(old, "Fix the parser");
  const [head] = await transcript.messages();
  assert.ok(head);
  await transcript.nextSegment(segment("b", [{ id: head.id }]));
  assert.equal(transcript.session.title, "Fix the parser #2");
  await sessions.rename(transcript.session.id, "Parser and lexer #2");
  await transcript.previousSegment({ id: old, records: {}, event });
  assert.equal(transcript.session.title, "Parser and lexer");
});

test("a copy of a copy names the first original, and titles count on", async (t) => {
  const { transcript } = await setup(t, { title: "Work" });
  await exchange(transcript, "one", "first");
  const [head] = await transcript.messages();
  assert.ok(head);
  const [copy] = await transcript.nextSegment(segment("b", [{ id: head.id }]));
  assert.ok(copy);
  const [again] = await transcript.nextSegment(segment("c", [{ id: copy.id }]));
  assert.equal(again?.copiedFrom, head.id);
  assert.equal(transcript.session.title, "Work #3");
});

test("a segment is compacted once: whoever comes second changes nothing", async (t) => {
  const { transcript, store, clock, sessions } = await setup(t);
  const second = openTranscript({ store, clock }, transcript.session);
  await transcript.nextSegment(segment("b", []));
  await assert.rejects(second.nextSegment(segment("c", [], { records: { todo: "[]" } })), code("E_CONFLICT"));
  assert.equal(await sessions.get("c" as SessionId), undefined); // an id of this test
  assert.equal(await transcript.record("todo"), undefined);
});

test("no turn begins in a segment that is closed", async (t) => {
  const { transcript, store, clock, sessions } = await setup(t);
  const stale = openTranscript({ store, clock }, transcript.session);
  await transcript.nextSegment(segment("b", []));
  await assert.rejects(stale.beginTurn(user("late")), /continues in a newer one/);
  assert.equal((await sessions.get(stale.session.id))?.end_reason, "compaction");
});

test("the turn that runs goes on in the new segment, also over the end of the program", async (t) => {
  const { transcript, store, clock, sessions } = await setup(t);
  const old = transcript.session.id;
  const { turn, message } = await transcript.beginTurn(user("go"));
  await transcript.nextSegment(segment("b", [{ id: message.id }], { turn }));
  await transcript.append(turn, [
    { role: "assistant", content: "", toolCalls: [{ id: "x", name: "terminal", arguments: "{}" }] },
  ]);
  const closed = await closeOpenTurns(store, clock, () => false);
  assert.deepEqual(
    closed.map(({ turn_id, session_id }) => [turn_id, session_id]),
    [[turn, "b"]],
  );
  assert.deepEqual(
    (await sessions.messages("b" as SessionId)).map(({ role, turn_id }) => [role, turn_id]), // an id of this test
    [
      ["user", turn],
      ["assistant", turn],
      ["tool", turn],
    ],
  );
  assert.equal((await sessions.messages(old)).length, 1);
});

test("records of the lineage change in the same commit, and its followers are told where it goes on", async (t) => {
  const { transcript, store } = await setup(t);
  const old = transcript.session.id;
  await transcript.setRecord("directory_context", '["/x"]');
  const commits: string[][] = [];
  store.onEvents((events) => commits.push(events.map(({ kind, session }) => `${session}:${kind}`)));
  await transcript.nextSegment(segment("b", [], { records: { directory_context: null, compaction: '{"count":1}' } }));
  assert.deepEqual(commits, [[`${old}:compaction.ended`, "b:session.info"]]);
  const told = (await sessionEvents(store, old, 0)).at(-1);
  assert.deepEqual(told?.data, { ...event, new_session_id: "b" });
  assert.equal(await transcript.record("directory_context"), undefined);
  assert.equal(await transcript.record("compaction"), '{"count":1}');
});

test("search finds what was said once, export has it once, and a summary is found by no one", async (t) => {
  const { transcript, search, exported } = await setup(t);
  await exchange(transcript, "the zebra sleeps", "I see");
  const [head] = await transcript.messages();
  assert.ok(head);
  await transcript.nextSegment(segment("b", [{ id: head.id }, summary("a zebra was spoken of, and a quagga")]));
  await exchange(transcript, "and the lion", "it eats");
  const found = async (query: string) =>
    (await search.search(query, { limit: 10 })).hits.map(({ message_id }) => message_id);
  assert.deepEqual(await found("zebra"), [head.id]);
  assert.deepEqual(await found("quagga"), []);
  assert.equal((await found("lion")).length, 1);
  const all = await exported();
  assert.deepEqual(all, [
    "the zebra sleeps",
    "I see",
    "a zebra was spoken of, and a quagga",
    "and the lion",
    "it eats",
  ]);
});

test("an undo brings the old segment back with everything said since behind it", async (t) => {
  const { transcript, sessions, search, exported } = await setup(t);
  const old = transcript.session.id;
  await exchange(transcript, "one", "first");
  const [head] = await transcript.messages();
  assert.ok(head);
  await transcript.nextSegment(segment("b", [{ id: head.id }, summary("S")]));
  await exchange(transcript, "giraffe", "second");
  const undone = { tokens_before: 3, tokens_after: 9, messages_before: 4, messages_after: 4 };
  const back = await transcript.previousSegment({ id: old, records: { compaction: null }, event: undone });
  assert.deepEqual(shown(back), ["user:one", "assistant:first", "user:giraffe", "assistant:second"]);
  assert.equal(transcript.session.id, old);
  const ends = await Promise.all([old, "b" as SessionId].map(async (id) => (await sessions.get(id))?.end_reason)); // an id of this test
  assert.deepEqual(ends, [null, "compaction_undone"]);
  assert.equal((await search.search("giraffe", { limit: 10 })).hits.length, 1);
  assert.deepEqual(await exported(), ["one", "first", "S", "giraffe", "second"]);
  await exchange(transcript, "three", "third");
  assert.equal((await transcript.messages()).length, 6);
  const [listed, ...more] = await sessions.list({});
  assert.deepEqual([listed?.id, more.length], [old, 0]);
});

test("any name of a compacted conversation leads to the segment that goes on", async (t) => {
  const { transcript, sessions } = await setup(t);
  const old = transcript.session.id;
  await exchange(transcript, "one", "first");
  await transcript.nextSegment(segment("b", []));
  assert.equal((await sessions.reopen(old, "/")).id, "b");
  await transcript.previousSegment({
    id: old,
    records: {},
    event: { tokens_before: 0, tokens_after: 0, messages_before: 0, messages_after: 0 },
  });
  assert.equal((await sessions.reopen("b" as SessionId, "/")).id, old); // an id of this test
  assert.equal((await sessions.reopen(old, "/")).id, old);
});

test("a compacted conversation is deleted whole, with its search entries", async (t) => {
  const { transcript, store, clock, search, sessions } = await setup(t);
  const old = transcript.session.id;
  await exchange(transcript, "the zebra sleeps", "I see");
  const [head] = await transcript.messages();
  assert.ok(head);
  await transcript.nextSegment(segment("b", [{ id: head.id }, summary("zebra")]));
  await exchange(transcript, "another zebra", "two");
  await deleteLineage({ store, clock, files: { remove: () => undefined, backups: () => [] } }, old);
  assert.equal((await search.search("zebra", { limit: 10 })).hits.length, 0);
  assert.equal(await sessions.get("b" as SessionId), undefined); // an id of this test
  await store.write("check", (tx) => tx.run("INSERT INTO message_index (message_index) VALUES ('integrity-check')"));
});

test("a worker's conversation is compacted through the owner, once however often it is asked", async (t) => {
  const { transcript, store, clock, sessions } = await setup(t);
  const methods = transcriptMethods({ store, clock });
  const remote = remoteTranscript(async (method, params) => {
    await methods[method](params);
    return JSON.parse(JSON.stringify((await methods[method](params, true)) ?? null));
  }, transcript.session);
  const { turn, message } = await remote.beginTurn(user("go"));
  const kept = await remote.nextSegment(segment("b", [{ id: message.id }, summary("S")], { turn }));
  assert.deepEqual(shown(kept), ["user:go", "assistant:S"]);
  await remote.append(turn, [{ role: "assistant", content: "done" }]);
  await remote.endTurn(turn, ended);
  assert.deepEqual(shown(await sessions.messages("b" as SessionId)), ["user:go", "assistant:S", "assistant:done"]); // an id of this test
});
