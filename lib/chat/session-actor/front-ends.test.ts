import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { actorOwner, type Watched } from "../../../fixtures/worlds/actor-owner.js";
import type { ChatEvent } from "../../contracts/chat/chat.js";
import type { SessionView } from "../../contracts/chat/queue.js";

const ended = ({ event }: ChatEvent): boolean => event === "turn.ended";
const textOf = ({ seen }: Watched): string =>
  seen
    .filter(({ event }) => event === "text.delta")
    .map(({ data }) => String(data["text"]))
    .join("");

test("C57: two front ends see the same, and the first answer to a question closes it in both", async (t) => {
  const replies = [
    { tool_calls: [{ name: "terminal", arguments: { command: "rm -rf build" } }] },
    { text: "it is gone, as you said" },
  ];
  const owner = await actorOwner(t, { model: { script: { replies } } });
  const { id } = await owner.session({ yolo: false });
  const one = await owner.watch(id);
  const other = await owner.watch(id);
  await owner.chat.attach(id, new AbortController().signal);
  await owner.call("turn.submit", { session_id: id, text: "clean up" }, { kind: "workspace" });
  const question = ({ event }: ChatEvent) => event === "approval.requested";
  const asked = await one.until(question);
  const same = await other.until(question);
  assert.equal(asked.data["request"], same.data["request"]);
  const answer = { request: asked.data["request"], answer: "once" };
  await owner.call("approval.respond", answer, { kind: "workspace" });
  await assert.rejects(owner.call("approval.respond", { ...answer, answer: "deny" }, { kind: "inline" }), {
    code: "E_ALREADY_RESOLVED",
  });
  await Promise.all([one, other].map((watched) => watched.until(({ event }) => event === "approval.resolved")));
  await Promise.all([one.until(ended), other.until(ended)]);
  const durable = (watched: Watched) =>
    watched.seen.filter(({ seq }) => seq !== undefined).map(({ seq, event }) => `${seq} ${event}`);
  assert.deepEqual(durable(one), durable(other));
  assert.deepEqual([textOf(one), textOf(other)], ["it is gone, as you said", "it is gone, as you said"]);
});

test("C57: a message of one front end waits where the other can take it away", async (t) => {
  const owner = await actorOwner(t, { model: { script: { replies: [{ hold: "go", text: "done" }] } } });
  const { id } = await owner.session();
  const other = await owner.watch(id);
  await owner.call("turn.submit", { session_id: id, text: "go" }, { kind: "workspace" });
  const { queued } = await owner.call<{ queued: { id: string } }>(
    "turn.submit",
    { session_id: id, text: "later" },
    { kind: "workspace" },
  );
  const { data } = await other.until(({ event }) => event === "queue.changed");
  assert.deepEqual(
    (data["items"] as { text: string; source: string }[]).map(({ text, source }) => [text, source]),
    [["later", "workspace"]],
  );
  await owner.call("queue.remove", { session_id: id, item: queued.id }, { kind: "inline" });
  owner.model.release("go");
  await other.until(ended);
  assert.equal(owner.model.chats().length, 1);
});

test("C58: a front end that went in the middle of an answer finds the text so far, and the rest arrives", async (t) => {
  const answer = Array.from({ length: 60 }, (_, n) => `word${n} `).join("");
  const owner = await actorOwner(t, { model: { script: { replies: [{ text: answer, split: 400, gap_ms: 20 }] } } });
  const { id } = await owner.session();
  const gone = new AbortController();
  const before = chars(owner.chat.events(id, await owner.chat.cursor(id), gone.signal), 40);
  await owner.call("turn.submit", { session_id: id, text: "go" });
  await before;
  gone.abort();
  const watched = await owner.watch(id);
  const view = await owner.call<SessionView>("session.attach", { session_id: id });
  assert.ok(view.streamed.length >= 40 && answer.startsWith(view.streamed), view.streamed);
  assert.deepEqual([view.phase, view.turn_id === null, (view.turn_started_at ?? 0) > 0], ["writing", false, true]);
  const { data } = await watched.until(ended);
  assert.deepEqual([data["exit_reason"], data["final_response"]], ["text_response", answer.trim()]);
  const rest = watched.seen.filter(({ event }) => event === "text.delta");
  const whole = rest.reduce((sofar, delta) => {
    const offset = Number(delta.data["offset"]);
    return offset < sofar.length
      ? sofar.slice(0, offset) + String(delta.data["text"])
      : sofar + String(delta.data["text"]);
  }, view.streamed);
  assert.equal(whole.trim(), answer.trim());
  const after = await owner.call<SessionView>("session.attach", { session_id: id });
  assert.deepEqual([after.phase, after.streamed, after.turn_id, after.turn_started_at], ["idle", "", null, null]);
});

test("a front end that comes while a command runs finds its output so far, and its call open", async (t) => {
  const command = { name: "terminal", arguments: { command: "echo compiling; until [ -e go ]; do sleep 0.02; done" } };
  const owner = await actorOwner(t, { model: { script: { replies: [{ tool_calls: [command] }, { text: "built" }] } } });
  const { id, cwd } = await owner.session();
  const watched = await owner.watch(id);
  await owner.call("turn.submit", { session_id: id, text: "build" });
  await watched.until(({ event }) => event === "tool.progress");
  const view = await owner.call<SessionView>("session.attach", { session_id: id });
  assert.deepEqual([Object.values(view.output), await owner.chat.turnIsOpen(id)], [["compiling\n"], true]);
  writeFileSync(join(cwd, "go"), "");
  await watched.until(ended);
  const after = await owner.call<SessionView>("session.attach", { session_id: id });
  assert.deepEqual([after.output, await owner.chat.turnIsOpen(id)], [{}, false]);
});

test("a front end that attaches with the last event it knows gets each missed one once, with the names and times of exports", async (t) => {
  const replies = [
    { text: "I look.", tool_calls: [{ name: "read_file", arguments: { path: "a" } }] },
    { text: "Done." },
  ];
  const owner = await actorOwner(t, { model: { script: { replies } } });
  const { id } = await owner.session();
  const after_seq = await owner.chat.cursor(id);
  const live = await owner.watch(id);
  await owner.call("turn.submit", { session_id: id, text: "go" });
  const end = await live.until(ended);
  const { events, seq } = await owner.call<{ events: readonly Told[]; seq: number }>("session.attach", {
    session_id: id,
    after_seq,
  });
  const known = live.seen.filter((event) => event.seq !== undefined).map((event) => [event.event, event.seq]);
  assert.deepEqual(
    events.slice(0, known.length).map((event) => [event.event, event.seq]),
    known,
  );
  assert.equal(events.at(-1)?.seq, seq);
  const rest = await owner.call<{ events: readonly Told[] }>("session.attach", { session_id: id, after_seq: seq });
  assert.deepEqual(rest.events, []);
  const added = events.filter(({ event }) => event === "message.added").map(({ data }) => data);
  const [, asked, result] = added;
  assert.deepEqual([asked?.["finish_reason"], [asked?.["tool_calls"]].flat().length], ["tool_calls", 1]);
  assert.deepEqual(
    [result?.["role"], result?.["tool_name"], typeof result?.["tool_call_id"]],
    ["tool", "read_file", "string"],
  );
  for (const { created_at } of added) assert.match(String(created_at), ISO);
  for (const { event, data } of live.seen) if (event === "turn.phase") assert.match(String(data["since"]), ISO);
  const { estimated_cost_usd, cost_status, cost_source, response_transformed } = end.data;
  assert.deepEqual(
    [estimated_cost_usd, cost_status, cost_source, response_transformed],
    [null, "unknown", null, false],
  );
  const messages = await owner.call<readonly Record<string, unknown>[]>("session.messages", { session_id: id });
  assert.deepEqual(
    messages.map(({ tool_name, created_at }) => [tool_name, ISO.test(String(created_at))]),
    [undefined, undefined, "read_file", undefined].map((name) => [name, true]),
  );
});

interface Told {
  readonly event: string;
  readonly seq: number;
  readonly data: Readonly<Record<string, unknown>>;
}

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Resolves when so many characters of an answer have come. */
async function chars(events: AsyncIterable<ChatEvent>, wanted: number): Promise<void> {
  let seen = 0;
  for await (const { event, data } of events) {
    if (event === "text.delta") seen += String(data["text"]).length;
    if (seen >= wanted) return;
  }
}

test("attaching after a cursor answers at once with what is stored, also where other sessions wrote last", async (t) => {
  const owner = await actorOwner(t, { model: { script: { replies: [{ text: "one." }, { text: "two." }] } } });
  const { id } = await owner.session();
  const start = await owner.chat.cursor(id);
  const watched = await owner.watch(id);
  await owner.call("turn.submit", { session_id: id, text: "go" });
  const { seq: last = 0 } = await watched.until(ended);
  await owner.session(); // numbers of events are those of the whole store
  const end = await owner.chat.cursor(id);
  assert.ok(end > last);
  const attach = (after_seq: number) =>
    owner.call<{ seq: number; events: readonly ChatEvent[] }>("session.attach", { session_id: id, after_seq });
  const whole = await attach(start);
  const durable = watched.seen.filter(({ seq }) => seq !== undefined);
  assert.deepEqual(
    whole.events.map(({ seq, event }) => `${seq} ${event}`),
    durable.map(({ seq, event }) => `${seq} ${event}`),
  );
  assert.equal(whole.seq, end);
  for (const after of [last, end, end + 100]) assert.deepEqual((await attach(after)).events, []);
});
