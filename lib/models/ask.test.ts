import assert from "node:assert/strict";
import { createServer, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { proves } from "../../fixtures/requirements.js";
import type { Reply } from "../../fixtures/servers/model/script.js";
import { startModelServer } from "../../fixtures/servers/model/server.js";
import { silentLog } from "../base/log/log.js";
import { type Clock, systemClock } from "../base/time/clock.js";
import type { ModelChoice, ModelEvent, ModelRequest } from "../contracts/models/model.js";
import { createNet } from "../safety/net/net.js";
import { API_MAX_RETRIES } from "./keys.js";
import { askModel } from "./retry.js";
import { chatProvider } from "./wire/chat.js";

interface Row {
  readonly name: string;
  readonly replies: readonly Reply[];
  /** `done:<finish>` or `failed:<class>`. */
  readonly end: string;
  readonly content?: string;
  readonly calls?: readonly string[];
  readonly requests: number;
  /** Part of the message of a failure. */
  readonly says?: string;
  readonly waits?: readonly number[];
  readonly resets?: number;
  /** When the limit for silence passes; default: never, no time goes by. */
  readonly silent?: "before the answer" | "in mid-text";
}

const OK: Reply = { text: "recovered" };
const CALL = { name: "terminal", arguments: { command: "true" } };
const LONG = "a text long enough that it is cut in the middle of its way to the reader";

const ROWS: readonly Row[] = [
  { name: "one byte at a time", replies: [{ text: LONG, split: 1 }], end: "done:stop", content: LONG, requests: 1 },
  {
    name: "CRLF and comments",
    replies: [{ text: LONG, crlf: true, comments: true, split: 3 }],
    end: "done:stop",
    content: LONG,
    requests: 1,
  },
  { name: "no [DONE]", replies: [{ text: LONG, done: false }], end: "done:stop", content: LONG, requests: 1 },
  {
    name: "an unstreamed answer",
    replies: [{ text: LONG, unstreamed: true }],
    end: "done:stop",
    content: LONG,
    requests: 1,
  },
  {
    name: "401",
    replies: [{ status: 401, body: { error: { message: "bad key" } } }],
    end: "failed:auth",
    requests: 1,
    says: "HTTP 401: bad key",
  },
  { name: "402", replies: [{ status: 402 }], end: "failed:billing", requests: 1 },
  {
    name: "403",
    replies: [{ status: 403, body: "<html><title>Denied</title></html>" }],
    end: "failed:auth",
    requests: 1,
    says: "HTTP 403: Denied",
  },
  {
    name: "404 for the model",
    replies: [{ status: 404, body: { error: { message: "model not found" } } }],
    end: "failed:model_not_found",
    requests: 1,
  },
  {
    name: "429 with Retry-After",
    replies: [{ status: 429, headers: { "retry-after": "1" } }, OK],
    end: "done:stop",
    content: "recovered",
    requests: 2,
    waits: [1000],
  },
  {
    name: "429 without Retry-After",
    replies: [{ status: 429 }, OK],
    end: "done:stop",
    content: "recovered",
    requests: 2,
    waits: [2000],
  },
  {
    name: "429 with an hour to wait",
    replies: [{ status: 429, headers: { "retry-after": "3600" } }, OK],
    end: "done:stop",
    requests: 2,
    waits: [120_000],
  },
  {
    name: "429 for ever",
    replies: [{ status: 429 }],
    end: "failed:rate_limit",
    requests: 3,
    says: "Request failed after 2 retries: HTTP 429",
    waits: [2000, 4000],
  },
  {
    name: "500, then 503",
    replies: [{ status: 500 }, { status: 503 }, OK],
    end: "done:stop",
    content: "recovered",
    requests: 3,
    waits: [2000, 4000],
  },
  {
    name: "500 with a page",
    replies: [{ status: 500, body: "<html><head><title>Oops</title></head></html>" }],
    end: "failed:server_error",
    requests: 3,
    says: "HTTP 500: Oops",
  },
  { name: "413", replies: [{ status: 413 }], end: "failed:payload_too_large", requests: 1 },
  {
    name: "a prompt that is too long",
    replies: [{ status: 400, body: { error: { message: "maximum context length is 8192 tokens" } } }],
    end: "failed:context_overflow",
    requests: 1,
  },
  {
    name: "an unknown parameter",
    replies: [{ status: 400, body: { error: { message: "Unknown parameter: x" } } }],
    end: "failed:format_error",
    requests: 1,
  },
  {
    name: "a schema its grammar cannot take",
    replies: [{ status: 400, body: { error: "json-schema-to-grammar failed" } }, OK],
    end: "done:stop",
    requests: 2,
    waits: [],
  },
  {
    name: "no stream_options",
    replies: [{ status: 400, body: { error: { message: "Unknown parameter: stream_options" } } }, OK],
    end: "done:stop",
    requests: 2,
    waits: [],
  },
  {
    name: "no streaming",
    replies: [{ status: 400, body: { error: { message: "streaming is not supported" } } }, { text: "whole" }],
    end: "done:stop",
    content: "whole",
    requests: 2,
  },
  {
    name: "an error inside the stream",
    replies: [{ body: 'data: {"error": {"message": "overloaded", "code": 529}}\n\n' }, OK],
    end: "done:stop",
    requests: 2,
  },
  {
    name: "a reset before the answer",
    replies: [{ reset_after: 0 }, OK],
    end: "done:stop",
    content: "recovered",
    requests: 2,
    waits: [],
  },
  {
    name: "resets for ever",
    replies: [{ reset_after: 0 }],
    end: "failed:timeout",
    requests: 12,
    says: "the connection was lost",
    waits: [2000, 4000, 6000],
  },
  {
    name: "a reset in mid-text",
    replies: [{ text: LONG, chunk: 8, reset_after: 600 }],
    end: "done:dropped",
    requests: 1,
  },
  {
    name: "a reset in mid-call",
    replies: [{ text: "I run it.", tool_calls: [CALL], reset_after: 800 }, { tool_calls: [CALL] }],
    end: "done:tool_calls",
    calls: ["terminal"],
    requests: 2,
    resets: 1,
  },
  {
    name: "silence before the answer",
    silent: "before the answer",
    replies: [{ silence_after: 0 }, OK],
    end: "done:stop",
    content: "recovered",
    requests: 2,
  },
  {
    name: "silence in mid-text",
    silent: "in mid-text",
    replies: [{ text: LONG, chunk: 8, silence_after: 600 }],
    end: "done:dropped",
    requests: 1,
  },
  {
    name: "garbage instead of events",
    replies: [{ body: "data: {oh no\n\n" }],
    end: "failed:unknown",
    requests: 12,
    says: "invalid JSON",
  },
  {
    name: "a page instead of a stream",
    replies: [{ body: "<html>welcome</html>", headers: { "content-type": "text/html" } }],
    end: "failed:format_error",
    requests: 1,
    says: "not an event stream",
  },
  { name: "an empty stream", replies: [{ body: "" }, OK], end: "done:stop", requests: 2 },
  {
    name: "an end without finish and text",
    replies: [{ text: "half an answ", finish: null, done: false }],
    end: "done:dropped",
    content: "half an answ",
    requests: 1,
  },
  {
    name: "duplicate call ids",
    replies: [
      {
        tool_calls: [
          { ...CALL, id: "x" },
          { ...CALL, id: "x" },
        ],
      },
    ],
    end: "done:tool_calls",
    calls: ["terminal", "terminal"],
    requests: 1,
  },
  {
    name: "broken argument JSON",
    replies: [{ tool_calls: [{ name: "terminal", arguments: '{"command": "true",' }] }],
    end: "done:tool_calls",
    calls: ["terminal"],
    requests: 1,
  },
  {
    name: "a content filter",
    replies: [{ text: "I cannot.", finish: "content_filter" }],
    end: "done:content_filter",
    content: "I cannot.",
    requests: 1,
  },
  {
    name: "a length stop in a call",
    replies: [{ tool_calls: [{ name: "terminal", arguments: '{"command": "tr' }], finish: "length" }],
    end: "done:length",
    requests: 1,
  },
];

for (const row of ROWS) {
  test(`the request ends as it should: ${row.name}`, async (t) => {
    const { server, ask, waits, limits } = await setup(t, row.replies);
    let text = false;
    const asked = ask(undefined, (event) => {
      if (text || event.type !== "text" || row.silent !== "in mid-text") return;
      text = true;
      limits.advance(STALE_MS);
    });
    if (row.silent === "before the answer") {
      await server.arrived(1);
      await limits.waitsFor(STALE_MS);
      limits.advance(STALE_MS);
    }
    const events = await asked;
    const last = events.at(-1);
    assert.equal(
      last?.type === "done" ? `done:${last.finish}` : last?.type === "failed" ? `failed:${last.failure.class}` : "none",
      row.end,
    );
    assert.equal(server.chats().length, row.requests, "requests");
    if (row.content !== undefined) assert.equal(last?.type === "done" ? last.content : "", row.content);
    if (row.calls) assert.deepEqual(last?.type === "done" ? last.toolCalls.map((call) => call.name) : [], row.calls);
    if (row.says !== undefined)
      assert.ok(
        last?.type === "failed" && last.failure.message.includes(row.says),
        last?.type === "failed" ? last.failure.message : "",
      );
    if (row.waits) assert.deepEqual(waits, row.waits);
    if (row.resets !== undefined)
      assert.equal(events.filter((event) => event.type === "text.reset").length, row.resets);
    if (last?.type === "failed") assert.ok((last.failure.hint ?? "").length > 10, "a hint");
    if (last?.type === "done")
      assert.equal(new Set(last.toolCalls.map((call) => call.id)).size, last.toolCalls.length, "distinct ids");
  });
}

test("an endless stream ends when the user interrupts, and no text of it comes any more", async (t) => {
  const { server, ask } = await setup(t, [{ endless: true }]);
  const control = new AbortController();
  let texts = 0;
  const events = await ask(control.signal, (event) => {
    if (event.type === "text" && ++texts === 20) control.abort();
  });
  assert.equal(texts, 20);
  const last = events.at(-1);
  assert.ok(last?.type === "failed" && last.failure.class === "aborted");
  await server.dropped();
});

test("an interrupt ends the wait for the next attempt", async (t) => {
  const { ask } = await setup(t, [{ status: 500 }], { clock: manualClock() }); // time stands still: the wait alone never ends
  const control = new AbortController();
  const events = await ask(control.signal, (event) => {
    if (event.type === "retry") control.abort();
  });
  const last = events.at(-1);
  assert.ok(last?.type === "failed" && last.failure.class === "aborted");
});

test("a failed request is repeated up to three requests in all, or as often as the setting says", async (t) => {
  proves(t, "config.agent.api-max-retries", "limit.api-retries");
  const three = await setup(t, [{ status: 500 }]);
  await three.ask();
  assert.equal(three.server.chats().length, API_MAX_RETRIES.default);
  const one = await setup(t, [{ status: 500 }], { attempts: 1 });
  await one.ask();
  assert.equal(one.server.chats().length, 1);
});

test("each wait is announced with attempt, cause and length", async (t) => {
  const { ask } = await setup(t, [{ status: 500, body: { error: { message: "boom" } } }, OK]);
  const retries = (await ask()).filter((event) => event.type === "retry");
  assert.deepEqual(retries, [
    { type: "retry", attempt: 2, of: 3, cause: "HTTP 500: boom", waitMs: 2000, class: "server_error" },
  ]);
});

test("a server that is not there is named with its address and what to do", async (t) => {
  const { ask, server } = await setup(t, []);
  await server.close();
  const last = (await ask()).at(-1);
  assert.ok(last?.type === "failed");
  assert.match(last.failure.message, /custom at http:\/\/127\.0\.0\.1:\d+\/v1: no server is listening there/);
  assert.match(last.failure.hint ?? "", /model\.base_url/);
});

test("a half-open connection ends after the stale limit", async (t) => {
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => sockets.add(socket.on("error", () => socket.destroy())));
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const address = silent.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => silent.close(resolve));
  });
  const { askAt, limits } = await setup(t, []);
  let over = false;
  const asked = askAt(`http://127.0.0.1:${port}/v1`).finally(() => {
    over = true;
  });
  while (!over) {
    await new Promise((resolve) => setImmediate(resolve));
    limits.advance(STALE_MS);
  }
  const last = (await asked).at(-1);
  assert.ok(last?.type === "failed" && last.failure.class === "timeout");
});

test("a request begins with the bytes of the one before up to its last message", async (t) => {
  const { server, ask } = await setup(t, [OK]);
  const call = { id: "c1", name: "terminal", arguments: '{ "b": 1, "a": {"d": 1, "c": 2} }' };
  const messages: ModelRequest["messages"] = [
    { role: "system", content: "You are." },
    { role: "user", content: " go \n" },
    { role: "assistant", content: "", toolCalls: [call], reasoning: "hm" },
    { role: "tool", toolCallId: "c1", name: "terminal", content: "ok" },
  ];
  await ask(undefined, undefined, messages.slice(0, 2));
  await ask(undefined, undefined, messages);
  const [first = "", second = ""] = server.chats().map((entry) => entry.raw);
  const shared = first.slice(0, first.indexOf('],"tools"'));
  assert.ok(second.startsWith(shared));
  assert.ok(second.includes(String.raw`"arguments":"{\"a\":{\"c\":2,\"d\":1},\"b\":1}"`));
  assert.ok(!second.includes("finish_reason") && !second.includes('"_'));
  assert.ok(second.includes('"stream":true,"stream_options":{"include_usage":true}'));
});

const REQUEST: ModelRequest = {
  requestId: "r1",
  model: "m",
  messages: [{ role: "user", content: "go" }],
  tools: [
    {
      name: "terminal",
      description: "run",
      parameters: { type: "object", properties: { command: { type: "string", pattern: ".*" } } },
    },
  ],
};

const STALE_MS = 60;

/** A real server and real sockets; the waits between attempts take no time, and limits pass when the test says so. */
async function setup(t: TestContext, replies: readonly Reply[], given: { clock?: Clock; attempts?: number } = {}) {
  const waits: number[] = [];
  const clock: Clock = given.clock ?? {
    ...systemClock,
    sleep: async (ms) => {
      if (ms > 0) waits.push(ms);
    },
  };
  const server = await startModelServer({ script: { replies } });
  const limits = manualClock();
  const net = createNet({ clock: limits, allowPrivate: () => false });
  t.after(async () => {
    await net.close();
    await server.close();
  });
  const askAt = async (
    baseUrl: string,
    signal = new AbortController().signal,
    see?: (event: ModelEvent) => void,
    messages = REQUEST.messages,
  ) => {
    const timeouts = { connectMs: 500, totalMs: 10_000, readMs: 0, staleMs: STALE_MS };
    const provider = chatProvider({ net, clock: limits, log: silentLog }, { id: "custom", baseUrl, timeouts });
    const choice: ModelChoice = { provider, model: "m", window: 128_000 };
    const events: ModelEvent[] = [];
    const options = {
      signal,
      clock,
      random: () => 0,
      rebuild: () => net.rebuild(),
      attempts: given.attempts ?? API_MAX_RETRIES.default,
      ...(see === undefined ? {} : { onEvent: see }),
    };
    for await (const event of askModel(choice, { ...REQUEST, messages }, options)) events.push(event);
    return events;
  };
  const ask = (signal?: AbortSignal, see?: (event: ModelEvent) => void, messages?: ModelRequest["messages"]) =>
    askAt(server.url, signal, see, messages);
  return { server, ask, askAt, waits, limits };
}
