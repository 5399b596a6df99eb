import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { sessionStore } from "../../../fixtures/sim/session-store.js";
import type { StoredEvent } from "../../../storage/store.js";
import { AppError } from "../../base/errors.js";
import type { ChatEvent, NewMessage, TurnResult } from "../../contracts/chat/chat.js";
import { openTranscript } from "./transcript.js";
import { hydrate, hydrateFresh, sessionEvents } from "./transcript-events.js";
import { transcriptMethods } from "./transcript-methods.js";
import { closeOpenTurns } from "./transcript-recovery.js";
import { remoteTranscript } from "./transcript-remote.js";

async function setup(t: TestContext) {
  const { clock, store, sessions } = sessionStore(t);
  const session = await sessions.create({ source: "cli", cwd: "/", profile: "default", model: "m", provider: "p" });
  const transcript = openTranscript({ store, clock }, session);
  return { clock, store, sessions, session, transcript };
}

const code = (wanted: string) => (error: unknown) => error instanceof AppError && error.code === wanted;
const user = (content: string): NewMessage => ({ role: "user", content });
const call = (id: string) => ({ id, name: "terminal", arguments: "{}" });
const result = (id: string, content: string): NewMessage => ({
  role: "tool",
  content,
  toolCallId: id,
  toolName: "terminal",
  status: "ok",
});
const texts = (messages: readonly { role: string; content: string }[]) =>
  messages.map((message) => `${message.role}:${message.content}`);

/** Only what the transcript itself reads of it matters here. */
function ending(turn: string): TurnResult {
  return { exit_reason: "text_response", final_response: "done", turn_id: turn } as unknown as TurnResult;
}

test("a result stands at the place of its call, whatever the order of finishing", async (t) => {
  const { transcript } = await setup(t);
  const { turn } = await transcript.beginTurn(user("go"));
  await transcript.append(turn, [{ role: "assistant", content: "", toolCalls: [call("a"), call("b"), call("c")] }]);
  await transcript.append(turn, [result("c", "third")]);
  await transcript.append(turn, [result("a", "first")]);
  await transcript.append(turn, [result("b", "second")]);
  await transcript.append(turn, [{ role: "assistant", content: "end" }]);
  assert.deepEqual(texts(await transcript.messages()), [
    "user:go",
    "assistant:",
    "tool:first",
    "tool:second",
    "tool:third",
    "assistant:end",
  ]);
});

test("a call has one result: a second one, or one without a call, is refused and changes nothing", async (t) => {
  const { transcript } = await setup(t);
  const { turn } = await transcript.beginTurn(user("go"));
  await transcript.append(turn, [{ role: "assistant", content: "", toolCalls: [call("a")] }, result("a", "one")]);
  await assert.rejects(transcript.append(turn, [result("a", "two")]), code("E_CONFLICT"));
  await assert.rejects(transcript.append(turn, [result("x", "x")]), code("E_CONFLICT"));
  assert.equal((await transcript.messages()).length, 3);
});

test("a message, the counters of its request and the end of its call are one commit", async (t) => {
  const { transcript, store, session, sessions } = await setup(t);
  const { turn } = await transcript.beginTurn(user("go"));
  const of = { input: 5, output: 2, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
  await transcript.append(turn, [{ role: "assistant", content: "", toolCalls: [call("a")] }], {
    usage: { of, promptTokens: 5 },
  });
  const commits: string[][] = [];
  store.onEvents((events) => commits.push(events.map((event) => event.kind)));
  const [stored] = await transcript.append(turn, [result("a", "one")], {
    event: { kind: "tool.ended", data: { call_id: "a" } },
  });
  assert.deepEqual(commits, [["message.added", "tool.ended"]]);
  const last = (await sessionEvents(store, session.id, 0)).at(-1);
  assert.deepEqual(last?.data, { call_id: "a", result_message_id: stored?.id });
  await assert.rejects(
    transcript.append(turn, [result("a", "again")], { usage: { of, promptTokens: 7 } }),
    code("E_CONFLICT"),
  );
  const counted = await sessions.get(session.id);
  assert.deepEqual([counted?.api_call_count, counted?.input_tokens, counted?.last_prompt_tokens], [1, 5, 5]);
  assert.equal(transcript.session.last_prompt_tokens, 5);
});

test("events of a message that was just stored show it without reading it again, and as a later reader sees it", async (t) => {
  const { transcript, store } = await setup(t);
  const { turn } = await transcript.beginTurn(user("go"));
  const told: StoredEvent[] = [];
  const shown: Promise<readonly ChatEvent[]>[] = [];
  store.onEvents((events) => {
    told.push(...events);
    shown.push(Promise.resolve().then(() => hydrateFresh(store, events)));
  });
  const read = store.read.bind(store);
  let reads = 0;
  Object.assign(store, {
    read: (body: Parameters<typeof read>[0]) => {
      reads += 1;
      return read(body);
    },
  });
  await transcript.append(turn, [
    { role: "assistant", content: "c", toolCalls: [call("a")], finishReason: "tool_calls", reasoning: "r" },
  ]);
  await transcript.append(turn, [{ ...result("a", "x"), durationMs: 1.6 }]);
  const live = (await Promise.all(shown)).flat();
  assert.equal(reads, 0);
  assert.deepEqual(live, await hydrate(store, told));
});

test("a session has one open turn at a time, and turns count from 1", async (t) => {
  const { transcript, session } = await setup(t);
  const { turn } = await transcript.beginTurn(user("one"));
  assert.equal(turn, `${session.id}:1`);
  await assert.rejects(transcript.beginTurn(user("two")), code("E_STATE"));
  await transcript.endTurn(turn, ending(turn));
  assert.equal((await transcript.beginTurn(user("two"))).turn, `${session.id}:2`);
  assert.deepEqual(texts(await transcript.messages()), ["user:one", "user:two"]);
});

test("nothing can be added to a turn that has ended, and it ends once", async (t) => {
  const { transcript } = await setup(t);
  const { turn } = await transcript.beginTurn(user("go"));
  await transcript.endTurn(turn, ending(turn));
  await assert.rejects(transcript.append(turn, [{ role: "assistant", content: "late" }]), code("E_CONFLICT"));
  await assert.rejects(transcript.endTurn(turn, ending(turn)), code("E_CONFLICT"));
  await transcript.draft(turn, "late");
  assert.equal((await transcript.messages()).length, 1);
});

test("the messages that append returns are those that are stored", async (t) => {
  const { transcript } = await setup(t);
  const { turn, message } = await transcript.beginTurn(user("go"));
  const added = await transcript.append(turn, [
    { role: "assistant", content: "hm", toolCalls: [call("a")], reasoning: "because", finishReason: "tool_calls" },
    { ...result("a", "out"), durationMs: 12 },
  ]);
  assert.deepEqual([message, ...added], await transcript.messages());
});

test("the first user message gives the title, on one line and 60 characters long", async (t) => {
  const { transcript, sessions, session } = await setup(t);
  await transcript.beginTurn(user(`  fix\n the \u202e${"x".repeat(100)}`));
  const stored = await sessions.get(session.id);
  assert.equal(stored?.title, `fix the ${"x".repeat(52)}`);
  assert.equal(stored?.title_source, "auto");
  assert.equal(transcript.session.title, stored?.title);
});

test("front ends hear of a new title and of another model", async (t) => {
  const { transcript, store, session } = await setup(t);
  await transcript.setSystemPrompt("prompt", "m2", "p2");
  await transcript.beginTurn(user("the task"));
  const heard = (await sessionEvents(store, session.id, 0)).filter((event) => event.event === "session.info");
  assert.deepEqual(
    heard.map((event) => [event.data["title"], event.data["model"]]),
    [
      [null, "m"],
      [null, "m2"],
      ["the task", "m2"],
    ],
  );
});

test("counters of the record follow messages, calls and usage", async (t) => {
  const { transcript, sessions, session } = await setup(t);
  const { turn } = await transcript.beginTurn(user("go"));
  await transcript.append(turn, [
    { role: "assistant", content: "", toolCalls: [call("a"), call("b")] },
    result("a", "x"),
  ]);
  await transcript.addUsage(turn, { input: 10, output: 5, cacheRead: 3, cacheWrite: 2, reasoning: 1 }, 15);
  await transcript.addUsage(turn, { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 }, 16);
  await transcript.setSystemPrompt("prompt", "m2", "p2");
  const stored = await sessions.get(session.id);
  assert.deepEqual(transcript.session, stored);
  assert.equal(stored?.message_count, 3);
  assert.equal(stored?.tool_call_count, 2);
  assert.equal(stored?.input_tokens, 11);
  assert.equal(stored?.api_call_count, 2);
  assert.equal(stored?.last_prompt_tokens, 16);
  assert.equal(stored?.system_prompt, "prompt");
});

test("a restart gives open calls the interrupted result, keeps the draft as a message and ends the turn", async (t) => {
  const { transcript, store, clock, session } = await setup(t);
  const { turn } = await transcript.beginTurn(user("go"));
  await transcript.append(turn, [{ role: "assistant", content: "", toolCalls: [call("a"), call("b")] }]);
  await transcript.append(turn, [result("b", "done")]);
  await transcript.draft(turn, "half an ans");
  const closed = await closeOpenTurns(store, clock, () => false);
  assert.deepEqual(
    closed.map((one) => one.turn_id),
    [turn],
  );
  const messages = await transcript.messages();
  assert.deepEqual(
    messages.map((message) => [message.role, message.status, message.finishReason]),
    [
      ["user", undefined, undefined],
      ["assistant", undefined, undefined],
      ["tool", "interrupted", undefined],
      ["tool", "ok", undefined],
      ["assistant", undefined, "interrupted"],
    ],
  );
  assert.match(messages[2]?.content ?? "", /may or may not have taken effect/);
  assert.equal(messages[4]?.content, "half an ans");
  const last = (await sessionEvents(store, session.id, 0)).at(-1);
  assert.equal(last?.event, "turn.ended");
  assert.equal(last?.data["exit_reason"], "owner_stopped");
  assert.deepEqual(await closeOpenTurns(store, clock, () => false), []);
  await transcript.beginTurn(user("again"));
});

test("turns of workers that are alive stay open over a restart", async (t) => {
  const { store, clock, session } = await setup(t);
  const worker = openTranscript({ store, clock, run: 7 }, session);
  const { turn } = await worker.beginTurn(user("work"));
  assert.deepEqual(await closeOpenTurns(store, clock, (open) => open.run_id === 7), []);
  await worker.append(turn, [{ role: "assistant", content: "still here" }]);
});

test("durable events name their message and are shown with it, cut to 32 kB at a whole character", async (t) => {
  const { transcript, store, session } = await setup(t);
  await transcript.beginTurn(user("ä".repeat(20_000)));
  const stored = await store.events(0, 100);
  const added = stored.find((event) => event.kind === "message.added");
  assert.deepEqual(added?.payload, { message_id: 1 });
  const shown = (await hydrate(store, stored)).find((event) => event.event === "message.added");
  assert.equal(shown?.data["truncated"], true);
  assert.equal(shown?.data["content"], "ä".repeat(16_000));
  assert.equal(shown?.session_id, session.id);
  assert.equal(shown?.seq, added?.seq);
});

test("a worker's transcript over calls to the owner does the same as one over the store", async (t) => {
  const { store, clock, session } = await setup(t);
  const methods = transcriptMethods({ store, clock, run: 3 });
  const call1 = async (method: string, params: unknown): Promise<unknown> => {
    const found = Object.entries(methods).find(([name]) => name === method)?.[1];
    assert.ok(found, method);
    return JSON.parse(JSON.stringify((await found(JSON.parse(JSON.stringify(params)))) ?? null));
  };
  const remote = remoteTranscript(call1, session);
  const { turn } = await remote.beginTurn(user("go"));
  await remote.append(turn, [{ role: "assistant", content: "", toolCalls: [call("a")] }]);
  await remote.draft(turn, "x");
  await remote.event(turn, "notice", { level: "info", text: "hello" });
  await remote.append(turn, [result("a", "out"), { role: "assistant", content: "end" }]);
  await remote.addUsage(turn, { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, reasoning: 0 }, 3);
  await remote.setSystemPrompt("prompt", "m2", "p2");
  await remote.setRecord("todo", "[]");
  assert.equal(await remote.record("todo"), "[]");
  assert.equal(await remote.record("goal"), undefined);
  await remote.endTurn(turn, ending(turn));
  const local = openTranscript({ store, clock }, session);
  assert.deepEqual(await remote.messages(), await local.messages());
  assert.deepEqual(texts(await local.messages()), ["user:go", "assistant:", "tool:out", "assistant:end"]);
  assert.equal(remote.session.system_prompt, "prompt");
  await assert.rejects(call1("transcript.append", { session: session.id, turn: 4 }), code("E_INVALID_PARAMS"));
});

test("each request tells what it used and what the session has used with it; a cost that no one told is not 0", async (t) => {
  const { store, session, sessions, transcript } = await setup(t);
  const { turn } = await transcript.beginTurn(user("go"));
  const usage = { input: 100, output: 20, cacheRead: 50, cacheWrite: 10, reasoning: 5 };
  await transcript.append(turn, [{ role: "assistant", content: "one" }], { usage: { of: usage, promptTokens: 160 } });
  await transcript.addUsage(turn, { ...usage, costUsd: 0.5 }, 170);
  const told = (await sessionEvents(store, session.id, 0)).filter(({ event }) => event === "usage");
  const counters = {
    input_tokens: 100,
    output_tokens: 20,
    cache_read_tokens: 50,
    cache_write_tokens: 10,
    reasoning_tokens: 5,
    total_tokens: 180,
  };
  assert.deepEqual(
    told.map(({ turn_id, data }) => [turn_id, data]),
    [
      [
        turn,
        {
          ...counters,
          last_prompt_tokens: 160,
          estimated_cost_usd: null,
          cost_status: "unknown",
          session: { api_calls: 1, ...counters, estimated_cost_usd: null },
        },
      ],
      [
        turn,
        {
          ...counters,
          last_prompt_tokens: 170,
          estimated_cost_usd: 0.5,
          cost_status: "exact",
          session: {
            api_calls: 2,
            input_tokens: 200,
            output_tokens: 40,
            cache_read_tokens: 100,
            cache_write_tokens: 20,
            reasoning_tokens: 10,
            total_tokens: 360,
            estimated_cost_usd: 0.5,
          },
        },
      ],
    ],
  );
  const stored = await sessions.get(session.id);
  assert.deepEqual([stored?.estimated_cost_usd, stored?.last_prompt_tokens], [0.5, 170]);
});

test("a changed list of steps is told whole, with its counts, in the turn that changed it", async (t) => {
  const { transcript, store, session } = await setup(t);
  const { turn } = await transcript.beginTurn(user("go"));
  const item = { id: "1", content: "fix the parser", status: "in_progress" };
  await transcript.setRecord("todo", JSON.stringify([item]));
  await transcript.setRecord("files_changed", "{}");
  const told = (await sessionEvents(store, session.id, 0)).filter(({ event }) => event === "todo.changed");
  const summary = { total: 1, pending: 0, in_progress: 1, completed: 0, cancelled: 0 };
  assert.deepEqual(
    told.map(({ turn_id, data }) => ({ turn_id, data })),
    [{ turn_id: turn, data: { items: [item], summary } }],
  );
});
