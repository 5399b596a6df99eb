import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { testSignal } from "../base/process/signal.js";
import type { ModelChoice, ModelEvent, ModelFailure, ModelRequest, Provider } from "../contracts/models/model.js";
import { askModel } from "./retry.js";

const REQUEST: ModelRequest = { requestId: "r", model: "m", messages: [{ role: "user", content: "go" }], tools: [] };
const SERVER: ModelFailure = { class: "server_error", message: "HTTP 500: boom", status: 500, retry: true };
const BROKEN: ModelFailure = { class: "timeout", message: "broken", retry: true, transport: true };
const DONE: ModelEvent = {
  type: "done",
  finish: "stop",
  content: "ok",
  reasoning: "",
  toolCalls: [],
  usage: undefined,
  model: "m",
};

test("waits double, with up to half of each on top", async () => {
  const { waits, last } = await run([[failed(SERVER)], [failed(SERVER)], [failed(SERVER)], [failed(SERVER)], [DONE]], {
    attempts: 5,
    random: () => 0.999,
  });
  assert.deepEqual(
    waits.map((ms) => Math.round(ms / 100)),
    [30, 60, 120, 240],
  );
  assert.equal(last?.type, "done");
});

test("an empty stream is waited for longer", async () => {
  const empty: ModelFailure = { class: "empty_stream", message: "empty", retry: true };
  const { waits } = await run(
    Array.from({ length: 9 }, () => [failed(empty)]),
    { attempts: 3 },
  );
  assert.deepEqual(waits, [5000, 10_000]);
});

test("nothing is sent before the wait is over", async () => {
  const clock = manualClock();
  const asked = testSignal();
  let requests = 0;
  const events = collect(
    choiceOf(() => {
      requests += 1;
      asked.emit();
      return requests === 1 ? [failed(SERVER)] : [DONE];
    }),
    clock,
  );
  await asked.next();
  await clock.waits(1);
  clock.advance(1999);
  assert.equal(requests, 1);
  clock.advance(1);
  await asked.next();
  assert.equal((await events).at(-1)?.type, "done");
  assert.equal(clock.waiting, 0);
});

test("an interrupt during a wait ends it at once and leaves no timer", async () => {
  const clock = manualClock();
  const control = new AbortController();
  const events = collect(
    choiceOf(() => [failed(SERVER)]),
    clock,
    control.signal,
  );
  await clock.waits(1);
  control.abort();
  const last = (await events).at(-1);
  assert.ok(last?.type === "failed" && last.failure.class === "aborted");
  assert.equal(clock.waiting, 0);
});

test("the pool is rebuilt once before a broken connection is given up", async () => {
  const { requests, rebuilt, last, waits } = await run(
    Array.from({ length: 30 }, () => [failed(BROKEN)]),
    { attempts: 2, streamRetries: 1 },
  );
  assert.equal(requests, 6);
  assert.equal(rebuilt, 1);
  assert.deepEqual(waits, [2000, 5000]);
  assert.ok(last?.type === "failed" && last.failure.message.startsWith("Request failed after 2 retries: broken"));
});

test("what compaction may help is handed back at once", async () => {
  const { requests, last } = await run([
    [failed({ class: "context_overflow", message: "too long", retry: true, compact: true })],
    [DONE],
  ]);
  assert.equal(requests, 1);
  assert.ok(last?.type === "failed" && last.failure.compact);
});

test("text that was shown is kept when the connection breaks", async () => {
  const { last, requests } = await run([[{ type: "text", text: "half " }, failed(BROKEN, "half ")], [DONE]]);
  assert.equal(requests, 1);
  assert.ok(last?.type === "done" && last.finish === "dropped" && last.content === "half ");
});

test("a call that never gets through is reported as dropped after two reconnects", async () => {
  const drop: ModelEvent[] = [
    { type: "text", text: "I write" },
    { type: "tool.generating", name: "w" },
    failed({ ...BROKEN, callInFlight: true }, "I write"),
  ];
  const { last, requests, events } = await run([drop, drop, drop]);
  assert.equal(requests, 3);
  assert.equal(events.filter((event) => event.type === "text.reset").length, 2);
  assert.ok(last?.type === "done" && last.finish === "dropped" && last.callDropped === true);
});

test("a provider that throws is a failure, not a crash", async () => {
  const { last } = await run([], { throws: true });
  assert.ok(last?.type === "failed" && last.failure.message.includes("the provider failed: oops"));
});

test("reasoning that was replaced by another attempt is taken back", async () => {
  const { events } = await run([[{ type: "reasoning", text: "hm" }, failed(BROKEN)], [DONE]]);
  assert.deepEqual(
    events.map((event) => event.type),
    ["reasoning", "text.reset", "done"],
  );
});

test("what an endpoint refused is left out of the later requests of the conversation, and of no other one", async () => {
  const refusal: ModelFailure = { class: "grammar_pattern", message: "bad pattern", retry: false };
  const seen: string[] = [];
  const choice = choiceOf((request) => {
    seen.push(JSON.stringify(request.tools));
    return seen.length === 1 ? [failed(refusal)] : [DONE];
  });
  const tools = [
    { name: "t", description: "", parameters: { properties: { pattern: { type: "string", pattern: "^a" } } } },
  ];
  const ask = async (cacheKey: string) => {
    const options = { signal: new AbortController().signal, clock: manualClock(), random: () => 0 };
    for await (const event of askModel(choice, { ...REQUEST, tools, cacheKey }, options))
      assert.notEqual(event.type, "failed");
  };
  await ask("a");
  await ask("a");
  await ask("b");
  const has = seen.map((text) => text.includes("^a"));
  assert.deepEqual(has, [true, false, false, true]);
  assert.ok(seen.every((text) => text.includes('"pattern":{'))); // a parameter of that name stays
});

const failed = (failure: ModelFailure, partial = ""): ModelEvent => ({ type: "failed", failure, partial });

function choiceOf(next: (request: ModelRequest) => readonly ModelEvent[]): ModelChoice {
  const provider: Provider = {
    id: "p",
    baseUrl: "",
    models: async () => [],
    stream: async function* (request) {
      yield* await Promise.resolve(next(request));
    },
  };
  return { provider, model: "m", window: 128_000 };
}

async function collect(
  choice: ModelChoice,
  clock: ReturnType<typeof manualClock>,
  signal = new AbortController().signal,
): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of askModel(choice, REQUEST, { signal, clock, random: () => 0 })) events.push(event);
  return events;
}

interface RunOptions {
  readonly attempts?: number;
  readonly streamRetries?: number;
  readonly random?: () => number;
  readonly throws?: boolean;
}

/** Waits take no time but are written down. */
async function run(streams: readonly (readonly ModelEvent[])[], { throws, random, ...options }: RunOptions = {}) {
  const waits: number[] = [];
  let requests = 0;
  let rebuilt = 0;
  const choice = choiceOf(() => {
    if (throws) throw new Error("oops");
    requests += 1;
    return streams[requests - 1] ?? [];
  });
  const clock = {
    ...manualClock(),
    sleep: async (ms: number) => {
      waits.push(ms);
    },
  };
  const events: ModelEvent[] = [];
  const rebuild = async () => {
    rebuilt += 1;
  };
  const asked = askModel(choice, REQUEST, {
    signal: new AbortController().signal,
    clock,
    random: random ?? (() => 0),
    rebuild,
    ...options,
  });
  for await (const event of asked) events.push(event);
  return { events, last: events.at(-1), waits, requests, rebuilt };
}
