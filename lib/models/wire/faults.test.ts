import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import type { Reply } from "../../../fixtures/servers/model/script.js";
import { startModelServer } from "../../../fixtures/servers/model/server.js";
import { WIRES } from "../../../fixtures/servers/model/wires.js";
import { LIMITS } from "../../base/limits.js";
import { silentLog } from "../../base/log/log.js";
import { type Clock, systemClock } from "../../base/time/clock.js";
import type { ModelEvent, ModelRequest, Provider } from "../../contracts/models/model.js";
import { createNet } from "../../safety/net/net.js";
import type { ProviderConfig, ProviderPorts, ProviderTimeouts } from "../core/define.js";
import { askModel } from "../retry.js";
import { anthropicProvider } from "./anthropic.js";
import { chatProvider } from "./chat.js";
import { responsesProvider } from "./responses.js";

type Wire = keyof typeof WIRES;
const PROVIDERS: Readonly<Record<Wire, (ports: ProviderPorts, config: ProviderConfig) => Provider>> = {
  chat: chatProvider,
  responses: responsesProvider,
  anthropic: anthropicProvider,
};
const ALL: readonly Wire[] = ["chat", "responses", "anthropic"];
/** The chat wire has these in `ask.test.ts`. */
const NEWER: readonly Wire[] = ["responses", "anthropic"];

const TEXT = "a text long enough that it is cut in the middle of its way to the reader";
const CALL = { name: "terminal", arguments: { command: "printf middle; true" }, id: "call_a" };
const OK: Reply = { text: "recovered" };
const HEAD = { serial: 1, model: "m", created: 1_700_000_000 };

/** The reply, broken right before `marker` in its bytes on this wire. */
function brokenAt(wire: Wire, reply: Reply, marker: string, how: "reset_after" | "silence_after" | "end_after"): Reply {
  const at = WIRES[wire].stream({ ...reply, chunk: 8 }, HEAD).indexOf(marker);
  assert.ok(at > 0, `${marker} is not in the stream`);
  return {
    ...reply,
    chunk: 8,
    [how]: Buffer.byteLength(WIRES[wire].stream({ ...reply, chunk: 8 }, HEAD).slice(0, at)),
  };
}

interface Row {
  readonly name: string;
  readonly wires: readonly Wire[];
  readonly replies: (wire: Wire) => readonly Reply[];
  /** `done:<finish>` or `failed:<class>`. */
  readonly end: string;
  readonly content?: string;
  readonly calls?: readonly string[];
  readonly requests: number;
  readonly waits?: readonly number[];
  readonly resets?: number;
  readonly says?: RegExp;
  readonly timeouts?: Partial<ProviderTimeouts>;
}

const plain =
  (...replies: Reply[]) =>
  () =>
    replies;
const STALE = { staleMs: 60 };
const LIMIT = (headers: Record<string, string> = {}): Reply => ({ status: 429, headers });

const ROWS: readonly Row[] = [
  {
    name: "one byte at a time",
    wires: NEWER,
    replies: plain({ text: TEXT, split: 1 }),
    end: "done:stop",
    content: TEXT,
    requests: 1,
  },
  {
    name: "CRLF and comments",
    wires: NEWER,
    replies: plain({ text: TEXT, crlf: true, comments: true, split: 3 }),
    end: "done:stop",
    content: TEXT,
    requests: 1,
  },
  {
    name: "an unstreamed answer",
    wires: NEWER,
    replies: plain({ text: TEXT, unstreamed: true }),
    end: "done:stop",
    content: TEXT,
    requests: 1,
  },
  {
    name: "an unstreamed call",
    wires: ALL,
    replies: plain({ tool_calls: [CALL], unstreamed: true }),
    end: "done:tool_calls",
    calls: ["terminal"],
    requests: 1,
  },
  {
    name: "an unstreamed answer that is cut",
    wires: ALL,
    replies: plain({ status: 200, body: '{"half":', headers: { "content-type": "application/json" } }, OK),
    end: "done:stop",
    content: "recovered",
    requests: 2,
  },
  {
    name: "an end that nobody knows, called like a member of every object",
    wires: ["chat", "anthropic"],
    replies: plain({ text: "yes", finish: "constructor" }),
    end: "done:stop",
    content: "yes",
    requests: 1,
  },
  {
    name: "no end mark after a finished answer",
    wires: ["chat"],
    replies: plain({ tool_calls: [CALL], done: false }),
    end: "done:tool_calls",
    calls: ["terminal"],
    requests: 1,
  },
  {
    name: "no end mark after a text",
    wires: ["responses"],
    replies: plain({ text: TEXT, done: false }),
    end: "done:dropped",
    content: TEXT,
    requests: 1,
  },
  {
    name: "no end mark after a stop reason",
    wires: ["anthropic"],
    replies: plain({ text: TEXT, done: false }),
    end: "done:stop",
    content: TEXT,
    requests: 1,
  },
  {
    name: "no end mark after a call",
    wires: NEWER,
    replies: plain({ tool_calls: [CALL], finish: null, done: false }, { tool_calls: [CALL] }),
    end: "done:tool_calls",
    calls: ["terminal"],
    requests: 2,
  },
  {
    name: "a call without finish that misses its brackets",
    wires: ["chat"],
    replies: plain(
      { tool_calls: [{ ...CALL, arguments: '{"command": "rm -r x"' }], finish: null, done: false },
      { tool_calls: [CALL] },
    ),
    end: "done:tool_calls",
    calls: ["terminal"],
    requests: 2,
  },
  {
    name: "401",
    wires: NEWER,
    replies: plain({ status: 401, body: { error: { message: "bad key" } } }),
    end: "failed:auth",
    requests: 1,
    says: /HTTP 401: bad key/,
  },
  { name: "402", wires: NEWER, replies: plain({ status: 402 }), end: "failed:billing", requests: 1 },
  {
    name: "403 with a page",
    wires: NEWER,
    replies: plain({ status: 403, body: "<html><title>Denied</title></html>" }),
    end: "failed:auth",
    requests: 1,
    says: /HTTP 403: Denied/,
  },
  {
    name: "404 for the model",
    wires: NEWER,
    replies: plain({ status: 404, body: { error: { message: "model not found" } } }),
    end: "failed:model_not_found",
    requests: 1,
  },
  { name: "413", wires: NEWER, replies: plain({ status: 413 }), end: "failed:payload_too_large", requests: 1 },
  {
    name: "a prompt that is too long",
    wires: NEWER,
    replies: plain({ status: 400, body: { error: { message: "prompt is too long: 9 tokens > 8 maximum" } } }),
    end: "failed:context_overflow",
    requests: 1,
  },
  {
    name: "too little room for the answer",
    wires: ALL,
    replies: plain({ status: 400, body: { error: { message: "max_tokens too large, available_tokens: 5000" } } }, OK),
    end: "done:stop",
    content: "recovered",
    requests: 2,
  },
  {
    name: "429 with Retry-After",
    wires: NEWER,
    replies: plain(LIMIT({ "retry-after": "1" }), OK),
    end: "done:stop",
    content: "recovered",
    requests: 2,
    waits: [1000],
  },
  {
    name: "429 without Retry-After",
    wires: NEWER,
    replies: plain(LIMIT(), OK),
    end: "done:stop",
    content: "recovered",
    requests: 2,
    waits: [2000],
  },
  {
    name: "429 for ever",
    wires: NEWER,
    replies: plain(LIMIT()),
    end: "failed:rate_limit",
    requests: 3,
    waits: [2000, 4000],
    says: /^Request failed after 2 retries: HTTP 429/,
  },
  {
    name: "500, then 529",
    wires: NEWER,
    replies: plain({ status: 500 }, { status: 529 }, OK),
    end: "done:stop",
    content: "recovered",
    requests: 3,
    waits: [2000, 4000],
  },
  {
    name: "500 with a page",
    wires: NEWER,
    replies: plain({
      status: 500,
      body: "<html><head><title>Oops</title></head><body>Ray ID: abc123def</body></html>",
    }),
    end: "failed:server_error",
    requests: 3,
    says: /HTTP 500: Oops \(request abc123def\)/,
  },
  {
    name: "a reset before the answer",
    wires: NEWER,
    replies: plain({ reset_after: 0 }, OK),
    end: "done:stop",
    content: "recovered",
    requests: 2,
    waits: [],
  },
  {
    name: "resets for ever",
    wires: NEWER,
    replies: plain({ reset_after: 0 }),
    end: "failed:timeout",
    requests: 12,
    waits: [2000, 4000, 6000],
  },
  {
    name: "a reset in mid-text",
    wires: NEWER,
    replies: (wire) => [brokenAt(wire, { text: TEXT }, "middle", "reset_after")],
    end: "done:dropped",
    requests: 1,
  },
  {
    name: "a reset in mid-call",
    wires: NEWER,
    replies: (wire) => [
      brokenAt(wire, { text: "I run it.", tool_calls: [CALL] }, "tf mid", "reset_after"),
      { tool_calls: [CALL] },
    ],
    end: "done:tool_calls",
    calls: ["terminal"],
    requests: 2,
    resets: 1,
  },
  {
    name: "an early end in mid-call",
    wires: ALL,
    replies: (wire) => [brokenAt(wire, { tool_calls: [CALL] }, "tf mid", "end_after"), { tool_calls: [CALL] }],
    end: "done:tool_calls",
    calls: ["terminal"],
    requests: 2,
  },
  {
    name: "silence before the answer",
    wires: NEWER,
    timeouts: STALE,
    replies: plain({ silence_after: 0 }, OK),
    end: "done:stop",
    content: "recovered",
    requests: 2,
  },
  {
    name: "silence in mid-text",
    wires: NEWER,
    timeouts: STALE,
    replies: (wire) => [brokenAt(wire, { text: TEXT }, "middle", "silence_after")],
    end: "done:dropped",
    requests: 1,
  },
  {
    name: "silence in mid-call",
    wires: ALL,
    timeouts: STALE,
    replies: (wire) => [brokenAt(wire, { tool_calls: [CALL] }, "tf mid", "silence_after"), { tool_calls: [CALL] }],
    end: "done:tool_calls",
    calls: ["terminal"],
    requests: 2,
  },
  {
    name: "a text that takes longer than the whole request may",
    wires: ALL,
    timeouts: { totalMs: 150 },
    replies: plain({ endless: true, gap_ms: 5 }),
    end: "done:dropped",
    requests: 1,
  },
  {
    name: "a text without end",
    wires: ALL,
    replies: plain({ endless: true, text: "x".repeat(1 << 20) }),
    end: "failed:format_error",
    requests: 1,
    says: /exceeds 8388608 characters/,
  },
  {
    name: "garbage instead of events",
    wires: NEWER,
    replies: plain({ body: "data: {oh no\n\n" }),
    end: "failed:unknown",
    requests: 12,
    says: /invalid JSON/,
  },
  {
    name: "a page instead of a stream",
    wires: NEWER,
    replies: plain({ body: "<html>welcome</html>", headers: { "content-type": "text/html" } }),
    end: "failed:format_error",
    requests: 1,
    says: /not an event stream/,
  },
  {
    name: "an empty stream",
    wires: NEWER,
    replies: plain({ body: "" }, OK),
    end: "done:stop",
    requests: 2,
    waits: [5000],
  },
  {
    name: "a content filter",
    wires: NEWER,
    replies: plain({ text: "I cannot.", finish: "content_filter" }),
    end: "done:content_filter",
    content: "I cannot.",
    requests: 1,
  },
  {
    name: "a length stop in a call",
    wires: NEWER,
    replies: plain({ tool_calls: [{ name: "terminal", arguments: '{"command": "tr' }], finish: "length" }),
    end: "done:length",
    requests: 1,
  },
  {
    name: "an event without end before the first one",
    wires: ["responses"],
    timeouts: { firstMs: 60, patientAbove: 10 },
    replies: plain({ silence_after: 0 }, OK),
    end: "done:stop",
    content: "recovered",
    requests: 2,
  },
  {
    name: "events that come too slowly",
    wires: ["responses"],
    timeouts: { eventMs: 60 },
    replies: plain(brokenAt("responses", { tool_calls: [CALL] }, "tf mid", "silence_after"), { tool_calls: [CALL] }),
    end: "done:tool_calls",
    requests: 2,
  },
  {
    name: "events that bring nothing",
    wires: ["responses"],
    timeouts: { progressMs: 80 },
    replies: plain({ body: `${'data: {"type":"response.in_progress"}\n\n'.repeat(50)}`, silence_after: 1 }, OK),
    end: "done:stop",
    content: "recovered",
    requests: 2,
  },
];

for (const row of ROWS)
  for (const wire of row.wires) {
    test(`${wire}: ${row.name} ends as ${row.end} after ${row.requests} ${row.requests === 1 ? "request" : "requests"}`, async (t) => {
      const { events, requests, waits } = await asked(t, wire, row);
      const last = events.at(-1);
      const end =
        last?.type === "done"
          ? `done:${last.finish}`
          : last?.type === "failed"
            ? `failed:${last.failure.class}`
            : "none";
      assert.equal(end, row.end, last?.type === "failed" ? last.failure.message : "");
      assert.equal(requests, row.requests, "requests");
      if (row.content !== undefined) assert.equal(last?.type === "done" ? last.content : "", row.content);
      if (row.calls) assert.deepEqual(last?.type === "done" ? last.toolCalls.map((call) => call.name) : [], row.calls);
      if (row.says) assert.match(last?.type === "failed" ? last.failure.message : "", row.says);
      if (row.waits) assert.deepEqual(waits, row.waits);
      if (row.resets !== undefined)
        assert.equal(events.filter((event) => event.type === "text.reset").length, row.resets);
      if (last?.type === "failed") assert.ok((last.failure.hint ?? "").length > 10, "a hint");
    });
  }

test("the bound of an answer is far above any honest one", () => {
  assert.ok(LIMITS.answerChars > 128_000 * 8);
});

const REQUEST: ModelRequest = {
  requestId: "r1",
  model: "m",
  messages: [{ role: "user", content: "go" }],
  tools: [
    {
      name: "terminal",
      description: "run",
      parameters: { type: "object", properties: { command: { type: "string" } } },
    },
  ],
};

/**
 * A real server and real sockets; the waits between attempts take no time. Limits pass in the first attempt only, and where a text counts only
 * once there is some: however slow the machine is, no other attempt meets them.
 */
async function asked(t: TestContext, wire: Wire, { replies, timeouts, requests }: Row) {
  const waits: number[] = [];
  const clock: Clock = {
    ...systemClock,
    sleep: async (ms) => {
      if (ms > 0) waits.push(ms);
    },
  };
  const server = await startModelServer({ script: { replies: replies(wire) } });
  const time = manualClock();
  const net = createNet({ clock: time, allowPrivate: () => false });
  t.after(async () => {
    await net.close();
    await server.close();
  });
  const limits = { connectMs: 500, totalMs: 10_000, readMs: 0, staleMs: 5_000, ...timeouts };
  const config = { id: "custom", baseUrl: server.url, timeouts: limits };
  const provider = PROVIDERS[wire]({ net, clock: time, log: silentLog }, config);
  const events: ModelEvent[] = [];
  const options = {
    signal: new AbortController().signal,
    clock,
    random: () => 0,
    rebuild: () => net.rebuild(),
    attempts: 3,
  };
  let over = timeouts === undefined;
  let begun = false;
  const collect = async () => {
    for await (const event of askModel({ provider, model: "m", window: 128_000 }, REQUEST, options)) {
      events.push(event);
      begun ||= event.type === "text";
      over ||= event.type === "retry";
    }
    over = true;
  };
  const collected = collect();
  while (!over) {
    await new Promise((resolve) => setImmediate(resolve));
    if (!over && (requests === 1 ? begun : server.chats().length === 1)) time.advance(5);
  }
  await collected;
  return { events, waits, requests: server.chats().length };
}
