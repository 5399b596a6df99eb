import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { sessionStore } from "../../../fixtures/sim/session-store.js";
import { AppError } from "../../base/errors.js";
import type { NewMessage, Transcript } from "../../contracts/chat/chat.js";
import { openTranscript } from "../transcript/transcript.js";
import { transcriptMethods } from "../transcript/transcript-methods.js";
import { remoteTranscript } from "../transcript/transcript-remote.js";
import { beginRoundCommit } from "./round-commit.js";

const opener: NewMessage = {
  role: "assistant",
  content: "",
  toolCalls: ["a", "b"].map((id) => ({ id, name: "terminal", arguments: "{}" })),
};
const result = (id: string): NewMessage => ({
  role: "tool",
  content: `of ${id}`,
  toolCallId: id,
  toolName: "terminal",
  status: "ok",
});
const ended = (id: string) => ({ event: { kind: "tool.ended", data: { call_id: id } } });
const usage = { of: { input: 5, output: 2, cacheRead: 0, cacheWrite: 0, reasoning: 0 }, promptTokens: 5 };

/** A round whose message has not been stored yet, and what each commit from then on tells. */
async function setup(t: TestContext, as: (transcript: Transcript) => Transcript = (transcript) => transcript) {
  const { clock, store, sessions } = sessionStore(t);
  const session = await sessions.create({ source: "cli", cwd: "/", profile: "default", model: "m", provider: "p" });
  const own = openTranscript({ store, clock }, session);
  const { turn } = await own.beginTurn({ role: "user", content: "go" });
  const commits: string[][] = [];
  store.onEvents((events) =>
    commits.push(events.map(({ kind, payload }) => [kind, payload["call_id"]].filter(Boolean).join(" "))),
  );
  const method = transcriptMethods({ store, clock });
  const remote = remoteTranscript((name, params) => method[name](params), session);
  const transcript = as(own);
  return { clock, store, session, sessions, own, transcript, remote, turn, commits };
}

const roles = async (transcript: Transcript) =>
  (await transcript.messages()).map(({ role, toolCallId }) => toolCallId ?? role);

test("a result that is there at once is stored with the message of its call, in one commit and in order", async (t) => {
  const { clock, transcript, turn, commits, sessions, session } = await setup(t);
  const commit = beginRoundCommit({ transcript, clock }, turn, opener, usage);
  const begun = commit.began({ call_id: "a" }, false);
  await commit.ended(result("a"), ended("a"));
  await Promise.all([begun, commit.stored]);
  assert.deepEqual(commits, [["message.added", "usage", "tool.started a", "message.added", "tool.ended a"]]);
  await commit.began({ call_id: "b" }, false);
  await commit.ended(result("b"), ended("b"));
  assert.deepEqual(commits.slice(1), [["tool.started b"], ["message.added", "tool.ended b"]]);
  assert.deepEqual(await roles(transcript), ["user", "assistant", "a", "b"]);
  const counted = await sessions.get(session.id);
  assert.deepEqual([counted?.message_count, counted?.tool_call_count, counted?.input_tokens], [4, 2, 5]);
  assert.equal(transcript.session.message_count, 4);
});

test("a message whose calls take longer is stored a moment after it came", async (t) => {
  const { clock, transcript, turn, commits } = await setup(t);
  const commit = beginRoundCommit({ transcript, clock }, turn, opener, undefined);
  const begun = commit.began({ call_id: "a" }, false);
  await transcript.messages(); // whatever was under way has been stored
  assert.deepEqual(commits, []);
  clock.advance(8);
  await begun;
  assert.deepEqual(commits, [["message.added", "tool.started a"]]);
  await commit.ended(result("a"), ended("a"));
  assert.deepEqual(await roles(transcript), ["user", "assistant", "a"]);
});

test("a call that changes something, and what is stored behind the message, let it wait for nothing", async (t) => {
  const { clock, transcript, turn, commits } = await setup(t);
  await beginRoundCommit({ transcript, clock }, turn, opener, undefined).began({ call_id: "a" }, true);
  assert.deepEqual(commits, [["message.added", "tool.started a"]]);
  commits.length = 0;
  const second = beginRoundCommit({ transcript, clock }, turn, { ...opener, content: "more" }, undefined);
  second.now();
  await transcript.event(turn, "notice", {});
  await second.stored;
  assert.deepEqual(commits.flat(), ["message.added", "notice"]);
  second.now();
  clock.advance(1_000);
  assert.deepEqual(await roles(transcript), ["user", "assistant", "assistant"]);
});

test("a worker's message goes to the owner at once: its results come behind it", async (t) => {
  const { clock, remote, turn, commits } = await setup(t);
  const commit = beginRoundCommit({ transcript: remote, clock }, turn, opener, usage);
  await Promise.all([commit.began({ call_id: "a" }, false), commit.ended(result("a"), ended("a"))]);
  assert.deepEqual(commits.flat(), ["message.added", "usage", "tool.started a", "message.added", "tool.ended a"]);
  assert.deepEqual(await roles(remote), ["user", "assistant", "a"]);
});

test("a message that cannot be stored fails whoever stores its results, and nothing of the round is there", async (t) => {
  const full = new AppError("E_STORE_FULL", "no space");
  for (const early of [true, false]) {
    const { clock, own, turn } = await setup(t);
    const transcript = Object.assign(Object.create(own) as Transcript, {
      joins: true,
      append: () => Promise.reject(full),
    });
    const commit = beginRoundCommit({ transcript, clock }, turn, opener, undefined);
    if (early) commit.now();
    await assert.rejects(commit.ended(result("a"), ended("a")), full);
    await assert.rejects(commit.stored, full);
    assert.deepEqual(await roles(own), ["user"]);
  }
});

test("a call whose result comes with its message was never open, and results stand in the order of their calls", async (t) => {
  const { own, turn, store } = await setup(t);
  const calls = ["a", "b", "a"].map((id) => ({ id, name: "terminal", arguments: "{}" }));
  const [message, first] = await own.append(turn, [{ ...opener, toolCalls: calls }, result("b")]);
  const open = () =>
    store.read((q) =>
      q.all("SELECT ordinal - ? AS place, call_id FROM open_calls ORDER BY ordinal", [message?.ordinal ?? 0]),
    );
  assert.equal(first?.ordinal, (message?.ordinal ?? 0) + 2);
  assert.deepEqual(await open(), [
    { place: 1, call_id: "a" },
    { place: 3, call_id: "a" },
  ]);
  await assert.rejects(own.append(turn, [result("b")]), { code: "E_CONFLICT" });
  await own.append(turn, [result("a")]);
  await own.append(turn, [result("a")]);
  assert.deepEqual(await open(), []);
  assert.deepEqual(await roles(own), ["user", "assistant", "a", "b", "a"]);
  const more = await own.append(turn, [{ ...opener, toolCalls: calls }, result("a"), result("b"), result("a")]);
  assert.deepEqual(
    more.map(({ ordinal }) => ordinal - (more[0]?.ordinal ?? 0)),
    [0, 1, 2, 3],
  );
  await assert.rejects(own.append(turn, [{ ...opener, toolCalls: calls.slice(0, 1) }, result("a"), result("a")]), {
    code: "E_CONFLICT",
  });
  assert.equal((await roles(own)).length, 9, "nothing of a refused append is there");
});
