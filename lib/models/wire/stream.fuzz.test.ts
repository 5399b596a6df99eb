import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Reply } from "../../../fixtures/servers/model/script.js";
import { streamedAnswer } from "../../../fixtures/servers/model/wire.js";
import type { ModelEvent } from "../../contracts/models/model.js";
import { createAssembler } from "./assemble.js";
import { createSseReader } from "./sse.js";

const CALL = { name: "write_file", arguments: { path: "a.txt", content: 'say "hi"\n\\ and é 日本 👩‍👩‍👧' } };

const REPLIES: Readonly<Record<string, Reply>> = {
  empty: {},
  "short text": { text: "Hello." },
  "text of many scripts": { text: "naïve — 日本語 👩‍👩‍👧‍👦 ￿ \u0000 end" },
  "text with line ends": { text: "a\r\nb\rc\n\nd\u2028e" },
  "text that looks like an event": { text: "data: [DONE]\n\ndata: {}\n\n: x" },
  reasoning: { text: "So: 4.", reasoning: "2 + 2" },
  "thinking tags": { text: "<think>hm\nhm</think>\n\nAnswer with a < b and <b>tags</b>." },
  "a think tag in the middle": { text: "Use the <think> tag.\n<think>no</think> yes </think> end" },
  "a think tag never closed": { text: "begin\n<thinking>never closed" },
  "one call": { tool_calls: [CALL] },
  "text and a call": { text: "I write it.", tool_calls: [CALL] },
  "two calls": { tool_calls: [CALL, { name: "read_file", arguments: { path: "b" } }] },
  "two calls on one index": {
    tool_calls: [
      { ...CALL, index: 0, id: "x1" },
      { name: "terminal", arguments: { command: "true" }, index: 0, id: "x2" },
    ],
  },
  "two calls with one id": {
    tool_calls: [
      { ...CALL, id: "same" },
      { ...CALL, id: "same" },
    ],
  },
  "calls without ids": {
    tool_calls: [
      { ...CALL, id: "" },
      { ...CALL, id: "" },
    ],
  },
  "a call with more members": {
    tool_calls: [{ ...CALL, extra: { extra_content: { google: { thought_signature: "é" } } } }],
  },
  "empty arguments": { tool_calls: [{ name: "todo", arguments: "" }] },
  "arguments with a trailing comma": { tool_calls: [{ name: "todo", arguments: '{"a": [1, 2,],}' }] },
  "arguments that miss brackets": { tool_calls: [{ name: "todo", arguments: '{"a": [{"b": 1' }] },
  "arguments with raw line ends": { tool_calls: [{ name: "todo", arguments: '{"a": "x\ny\tz"}' }] },
  "arguments cut in a string": { tool_calls: [{ name: "todo", arguments: '{"a": "x' }], finish: "length" },
  "arguments cut, no finish": { tool_calls: [{ name: "todo", arguments: '{"a": "x' }], finish: null, done: false },
  "finish length": { text: "Part one, ", finish: "length" },
  "finish content filter": { refusal: "I cannot.", finish: "content_filter" },
  "no finish": { text: "never ended", finish: null },
  "no finish, no done": { text: "never ended", finish: null, done: false },
  "no done": { text: "ended well", done: false },
  "no usage": { text: "x", usage: null },
  "cached usage": {
    text: "x",
    usage: { prompt_tokens: 10, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 7 } },
  },
  "comments between": { text: "with comments", comments: true },
};

const STREAMS = Object.entries(REPLIES).flatMap(([name, reply]) => [
  { name, bytes: bytesOf(reply) },
  { name: `${name}, CRLF`, bytes: bytesOf({ ...reply, crlf: true }) },
]);

for (const { name, bytes } of STREAMS) {
  test(`a stream gives the same answer wherever it is cut: ${name}`, () => {
    const whole = read([bytes]);
    assert.deepEqual(read([...bytes].map((byte) => Uint8Array.of(byte))), whole, "one byte at a time");
    for (let at = 1; at < bytes.length; at++)
      assert.deepEqual(read([bytes.subarray(0, at), bytes.subarray(at)]), whole, `cut at ${at}`);
  });
}

for (const { name, bytes } of STREAMS) {
  test(`a stream that ends early is dropped or whole, never half a call: ${name}`, () => {
    const whole = read([bytes]).last;
    const known = whole?.type === "done" ? whole.toolCalls.map((call) => `${call.name} ${call.arguments}`) : [];
    for (let at = 0; at < bytes.length; at++) {
      const last = readCut(bytes.subarray(0, at));
      assert.ok(last?.type === "done" || last?.type === "failed", `ended at ${at}`);
      for (const call of last.type === "done" ? last.toolCalls : [])
        assert.ok(known.includes(`${call.name} ${call.arguments}`), `ended at ${at}`);
    }
  });
}

test("a stream gives the same answer for any set of cuts", () => {
  fc.assert(
    fc.property(
      fc.nat(STREAMS.length - 1),
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 }),
      (n, cuts) => {
        const { bytes = Buffer.alloc(0) } = STREAMS[n] ?? {};
        const places = [...new Set(cuts.map((cut) => Math.floor(cut * bytes.length)))].sort((a, b) => a - b);
        const parts = [0, ...places].map((from, k) => bytes.subarray(from, places[k] ?? bytes.length));
        assert.deepEqual(read(parts), read([bytes]));
      },
    ),
    { numRuns: 1000 },
  );
});

test("bytes that are no stream never throw anything but a parse error", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const reader = createSseReader();
      for (const data of [...reader.push(bytes), ...reader.end()]) assert.equal(typeof data, "string");
    }),
  );
});

test("chunks of any shape never throw", () => {
  fc.assert(
    fc.property(
      fc.array(fc.dictionary(fc.constantFrom("choices", "usage", "model", "x"), fc.jsonValue())),
      (chunks) => {
        const parts = createAssembler("m", "r");
        for (const chunk of chunks) parts.chunk(chunk);
        assert.ok(["done", "failed"].includes(parts.finish("end").at(-1)?.type ?? ""));
      },
    ),
  );
});

function bytesOf(reply: Reply): Buffer {
  return Buffer.from(streamedAnswer({ chunk: 7, ...reply }, { serial: 1, model: "m", created: 1 }));
}

/** The last event of a stream that was cut; half an event at its end is what the exchange calls a broken stream. */
function readCut(bytes: Uint8Array): ModelEvent | undefined {
  const reader = createSseReader();
  const answer = createAssembler("m", "r");
  for (const data of [...reader.push(bytes), ...reader.end()]) {
    if (data === "[DONE]") return answer.finish("done").at(-1);
    try {
      answer.chunk(JSON.parse(data));
    } catch {
      return answer.finish("broken").at(-1);
    }
  }
  return answer.finish("end").at(-1);
}

interface ReadAnswer {
  readonly text: string;
  readonly reasoning: string;
  readonly last: ModelEvent | undefined;
}

/** The answer without the borders of its deltas, which the cuts may move. */
function read(parts: readonly Uint8Array[]): ReadAnswer {
  const reader = createSseReader();
  const answer = createAssembler("m", "r");
  const events: ModelEvent[] = [];
  let ending: "done" | "end" = "end";
  const take = (all: readonly string[]) => {
    for (const data of all) {
      if (data === "[DONE]") ending = "done";
      else events.push(...answer.chunk(JSON.parse(data)));
    }
  };
  for (const part of parts) take(reader.push(part));
  take(reader.end());
  events.push(...answer.finish(ending));
  const joined = (type: "text" | "reasoning") =>
    events.map((event) => (event.type === type ? event.text : "")).join("");
  return { text: joined("text"), reasoning: joined("reasoning"), last: events.at(-1) };
}
