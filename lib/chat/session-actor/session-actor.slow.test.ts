import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { ModelServerOptions } from "../../../fixtures/servers/model/server.js";
import { type ActorOwner, actorOwner, type Watched } from "../../../fixtures/worlds/actor-owner.js";
import type { SessionId } from "../../base/units.js";
import type { QueueItem, QueueState } from "../../contracts/chat/queue.js";

/** The first answer waits until the test lets it go; the others come at once and say what was asked. */
const HELD: ModelServerOptions = {
  script: (request, turn) => {
    const asked = String(request.messages.findLast(({ role }) => role === "user")?.content);
    return turn === 0 ? { hold: "first", text: "first answer" } : { text: `heard ${asked}` };
  },
};

interface Queued {
  readonly queued: QueueItem;
}

/** A conversation in which a turn runs that waits for the model. */
async function running(t: TestContext, options: { config?: string } = {}) {
  const owner = await actorOwner(t, { model: HELD, ...options });
  const { id } = await owner.session();
  const watched = await owner.watch(id);
  await owner.call("turn.submit", { session_id: id, text: "go" });
  await owner.model.arrived(1);
  const type = (text: string, mode?: string) =>
    owner.call<Queued>("turn.submit", { session_id: id, text, ...(mode ? { mode } : {}) });
  return { owner, id, watched, type, queue: () => owner.chat.queue(id) };
}

const texts = ({ items }: QueueState): string[] => items.map(({ text }) => text);
const endedTimes = (count: number) => (watched: Watched) =>
  watched.until(() => watched.seen.filter(({ event }) => event === "turn.ended").length >= count);
/** What each request asked last. A message behind an interrupted one goes out with it. */
const asked = (owner: ActorOwner): (string | undefined)[] =>
  owner.said().map((words) => words.at(-1)?.replace(/^user: (.*\n\n)*/, ""));

test("C59: messages typed while a turn runs wait, are edited and moved, and one is sent now: the turn is interrupted once", async (t) => {
  const { owner, id, watched, type, queue } = await running(t);
  const one = await type("one");
  const two = await type("two");
  const three = await type("three");
  assert.deepEqual(texts(await queue()), ["one", "two", "three"]);
  await owner.call("queue.edit", { session_id: id, item: two.queued.id, text: "two, changed" });
  await owner.call("queue.move", { session_id: id, item: two.queued.id, before: one.queued.id });
  assert.deepEqual(texts(await queue()), ["two, changed", "one", "three"]);
  await owner.call("queue.send_now", { session_id: id, item: three.queued.id });
  await endedTimes(4)(watched);
  assert.deepEqual(asked(owner), ["go", "three", "two, changed", "one"]);
  const ends = watched.seen.filter(({ event }) => event === "turn.ended").map(({ data }) => data["interrupted"]);
  assert.deepEqual(ends, [true, false, false, false]);
  assert.deepEqual(await queue(), { items: [], paused: false });
  const changes = watched.seen.filter(({ event }) => event === "queue.changed").length;
  assert.ok(changes >= 9, `every change is told: ${changes}`);
});

test("what waits runs by itself in order when the turn has ended", async (t) => {
  const { owner, watched, type } = await running(t);
  for (const text of ["one", "two"]) await type(text);
  owner.model.release("first");
  await endedTimes(3)(watched);
  assert.deepEqual(asked(owner), ["go", "one", "two"]);
  const turns = watched.seen.filter(({ event }) => event === "text.delta").map(({ turn_id }) => turn_id);
  assert.equal(new Set(turns).size, 3, "what a turn tells belongs to that turn");
});

for (const { name, end } of [
  { name: "an interrupt", end: (owner: ActorOwner, id: SessionId) => owner.call("turn.interrupt", { session_id: id }) },
  { name: "a failed turn", end: async (owner: ActorOwner) => owner.model.release("first") },
]) {
  test(`after ${name} the queue waits, and the next message goes last and starts it again`, async (t) => {
    const failing: ModelServerOptions = {
      script: (_request, turn) =>
        turn === 0 ? { hold: "first", status: 401, body: { error: { message: "bad key" } } } : { text: "fine" },
    };
    const owner = await actorOwner(t, { model: name === "an interrupt" ? HELD : failing });
    const { id } = await owner.session();
    const watched = await owner.watch(id);
    await owner.call("turn.submit", { session_id: id, text: "go" });
    await owner.model.arrived(1);
    await owner.call("turn.submit", { session_id: id, text: "waits" });
    await end(owner, id);
    await watched.until(({ event, data }) => event === "queue.changed" && data["paused"] === true);
    assert.deepEqual(texts(await owner.chat.queue(id)), ["waits"]);
    await owner.call("turn.submit", { session_id: id, text: "last" });
    await endedTimes(3)(watched);
    assert.deepEqual(asked(owner), ["go", "waits", "last"]);
    assert.deepEqual(await owner.chat.queue(id), { items: [], paused: false });
  });
}

test("text that comes with an interrupt runs next, before what waits", async (t) => {
  const { owner, id, watched, type } = await running(t);
  await type("waits");
  assert.deepEqual(await owner.call("turn.interrupt", { session_id: id, text: "rather this" }), { interrupted: true });
  await endedTimes(3)(watched);
  assert.deepEqual(asked(owner), ["go", "rather this", "waits"]);
});

test("the setting says what a message does while a turn runs; a front end may say otherwise", async (t) => {
  const { owner, watched, type, queue } = await running(t, { config: "display:\n  busy_input_mode: interrupt\n" });
  await type("waits", "queue");
  assert.deepEqual(texts(await queue()), ["waits"]);
  await type("now");
  await endedTimes(3)(watched);
  assert.deepEqual(asked(owner), ["go", "now", "waits"]);
});

test("the 33rd message is refused with a word, and the others run", async (t) => {
  const { owner, type, queue } = await running(t);
  for (let n = 0; n < 32; n++) await type(`m${n}`);
  await assert.rejects(type("one too many"), { code: "E_BUSY" });
  assert.equal((await queue()).items.length, 32);
  await owner.host.app.stop();
});

test("what waits survives the end of its owner, and runs when someone shows the conversation again", async (t) => {
  const { owner, id, type } = await running(t);
  for (const text of ["one", "two"]) await type(text);
  const next = await owner.again();
  assert.deepEqual(texts(await next.chat.queue(id)), ["one", "two"]);
  const watched = await next.watch(id);
  assert.equal(watched.seen.length, 0, "nothing begins before somebody looks");
  await next.call("session.resume", { session_id: id, cwd: next.work, source: "workspace" });
  await endedTimes(2)(watched);
  assert.deepEqual(asked(next).slice(1), ["one", "two"]);
});

test("a message whose answer its owner did not live to give is found in the queue by the name of its request", async (t) => {
  const { owner, id } = await running(t);
  await owner.call("turn.submit", { session_id: id, text: "once" }, { key: "k1" });
  const { items } = await owner.chat.queue(id);
  assert.deepEqual(
    items.map(({ request, text }) => [request, text]),
    [["k1", "once"]],
  );
  const watched = await owner.watch(id);
  owner.model.release("first");
  const started = await watched.until(({ event, data }) => event === "turn.started" && data["request"] === "k1");
  assert.equal(await owner.chat.turnOf(id, "k1"), started.turn_id);
});

test("news of the background wait behind messages, and wake an idle conversation", async (t) => {
  const { owner, id, watched, type } = await running(t);
  await owner.chat.queueAdd(id, {
    text: "the build has ended",
    kind: "process_notice",
    source: "tool",
    by: "process 1",
  });
  await type("a message");
  owner.model.release("first");
  await endedTimes(3)(watched);
  await owner.chat.queueAdd(id, { text: "a child has ended", kind: "process_notice", source: "subagent" });
  await endedTimes(4)(watched);
  assert.deepEqual(asked(owner).slice(1), ["a message", "the build has ended", "a child has ended"]);
});

test("a one-shot that comes while a turn runs waits for its turn, and taking it back leaves the other one alone", async (t) => {
  const { owner, id, watched } = await running(t);
  const control = new AbortController();
  const given = owner.chat.submit({ session: id, text: "never mind", signal: control.signal });
  const kept = owner.chat.submit({ session: id, text: "keep me" });
  await watched.until(({ event, data }) => event === "queue.changed" && (data["items"] as unknown[]).length === 2);
  control.abort();
  await assert.rejects(given, { code: "E_INTERRUPTED" });
  owner.model.release("first");
  assert.equal((await kept).final_response, "heard keep me");
  assert.deepEqual(asked(owner), ["go", "keep me"]);
});

test("texts in the queue hold no secret", async (t) => {
  const { owner, type, queue } = await running(t);
  await type("use sk-abcdefghijklmnopqrstuvwxyz0123");
  assert.doesNotMatch(JSON.stringify(await queue()), /sk-abcdef/);
  await owner.host.app.stop();
});

test("a turn that was cut off goes on when someone says so, and is told what happened", async (t) => {
  const { owner, id } = await running(t);
  const next = await owner.again();
  const watched = await next.watch(id);
  await next.call("turn.submit", { session_id: id, text: "", mode: "continue" });
  await watched.until(({ event }) => event === "turn.ended");
  const told = next.said().at(-1)?.slice(-2).join("\n\n") ?? "";
  assert.match(told, /Continue where you were cut off\.\n\n[\s\S]*do not repeat work that is already done/);
  const kept = (await next.chat.messages(id)).filter(({ role }) => role === "user");
  assert.equal(kept.at(-1)?.content, "Continue where you were cut off.", "the note is for the wire only");
  await assert.rejects(next.call("turn.submit", { session_id: id, text: "", mode: "continue" }), { code: "E_STATE" });
  await assert.rejects(next.call("turn.submit", { session_id: id, text: " " }), /empty text/);
});
