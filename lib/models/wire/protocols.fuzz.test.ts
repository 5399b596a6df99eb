import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Reply } from "../../../fixtures/servers/model/script.js";
import { WIRES } from "../../../fixtures/servers/model/wires.js";
import type { ModelEvent } from "../../contracts/models/model.js";
import { anthropicAssembler } from "./anthropic.js";
import { type Assembler, createAssembler } from "./assemble.js";
import { responsesAssembler } from "./responses.js";
import { createSseReader } from "./sse.js";

const CALL = {
  name: "write_file",
  arguments: { path: "a.txt", content: 'say "hi"\n\\ and é 日本 👩‍👩‍👧' },
  id: "call_a",
};
const REQUEST = { requestId: "r", model: "m", messages: [], tools: [] };

const READERS: Readonly<Record<keyof typeof WIRES, () => Assembler>> = {
  chat: () => createAssembler("m", "r"),
  responses: () => responsesAssembler(REQUEST),
  anthropic: () => anthropicAssembler(REQUEST),
};

/** What every wire can say, and must say alike. */
const REPLIES: Readonly<Record<string, Reply>> = {
  "short text": { text: "Hello." },
  "text of many scripts": { text: "naïve — 日本語 👩‍👩‍👧‍👦 \u0000 end" },
  "text that looks like an event": { text: "data: [DONE]\n\nevent: x\ndata: {}\n\n: x" },
  reasoning: { text: "So: 4.", reasoning: "2 + 2" },
  "thinking tags": { text: "<think>hm\nhm</think>\n\nAnswer with a < b and <b>tags</b>." },
  "one call": { tool_calls: [CALL] },
  "text and a call": { text: "I write it.", tool_calls: [CALL] },
  "two calls": { tool_calls: [CALL, { name: "read_file", arguments: { path: "b" }, id: "call_b" }] },
  "a call without arguments": { tool_calls: [{ name: "todo", arguments: {}, id: "call_c" }] },
  "arguments that miss brackets": { tool_calls: [{ name: "todo", arguments: '{"a": [{"b": 1', id: "call_d" }] },
  "finish length": { text: "Part one, ", finish: "length" },
  "a refusal": { refusal: "I cannot.", finish: "content_filter" },
  "no usage": { text: "x", usage: null },
  "cached usage": {
    text: "x",
    usage: { prompt_tokens: 10, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 7 } },
  },
  "comments between": { text: "with comments", comments: true },
  "line ends of another system": { text: "one\ntwo", crlf: true },
};

const WIRE_NAMES = ["chat", "responses", "anthropic"] as const;

for (const [name, reply] of Object.entries(REPLIES)) {
  test(`every wire says the same: ${name}`, () => {
    const plain = read("chat", [bytesOf("chat", reply)]);
    // The messages wire has no place of its own for a refusal: it streams as text before the end says what it was.
    // What goes back with the next request is each wire's own.
    const shown = (answer: ReadAnswer) => ({
      ...answer,
      ...(reply.refusal === undefined ? {} : { text: "" }),
      last: { ...answer.last, replay: undefined },
    });
    for (const wire of WIRE_NAMES) assert.deepEqual(shown(read(wire, [bytesOf(wire, reply)])), shown(plain), wire);
  });

  for (const wire of ["responses", "anthropic"] as const) {
    test(`a stream of the ${wire} wire gives the same answer wherever it is cut: ${name}`, () => {
      const bytes = bytesOf(wire, reply);
      const whole = read(wire, [bytes]);
      assert.deepEqual(
        read(
          wire,
          [...bytes].map((byte) => Uint8Array.of(byte)),
        ),
        whole,
        "one byte at a time",
      );
      for (let at = 1; at < bytes.length; at++)
        assert.deepEqual(read(wire, [bytes.subarray(0, at), bytes.subarray(at)]), whole, `cut at ${at}`);
    });

    test(`an unstreamed answer of the ${wire} wire says the same: ${name}`, () => {
      const answer = READERS[wire]();
      if (typeof reply.tool_calls?.[0]?.arguments === "string") return; // an answer that is one JSON value holds no broken JSON
      const events = answer.chunk(JSON.parse(JSON.stringify(WIRES[wire].whole(reply, HEAD))));
      const { last } = read(wire, [bytesOf(wire, reply)]);
      assert.deepEqual([...events, ...answer.finish("done")].at(-1), last);
    });

    test(`a stream of the ${wire} wire that ends early is dropped or whole, never half a call: ${name}`, () => {
      const bytes = bytesOf(wire, reply);
      const whole = read(wire, [bytes]);
      for (let at = 0; at < bytes.length; at++) {
        const { last } = read(wire, [bytes.subarray(0, at)]);
        assert.ok(last?.type === "done" || last?.type === "failed", `ended at ${at}`);
        const calls = last.type === "done" ? last.toolCalls : [];
        const known = whole.last?.type === "done" ? whole.last.toolCalls : [];
        for (const call of calls)
          assert.ok(
            known.some((one) => one.arguments === call.arguments && one.name === call.name),
            `ended at ${at}`,
          );
      }
    });
  }
}

for (const wire of ["responses", "anthropic"] as const) {
  test(`events of any shape never throw in the ${wire} wire`, () => {
    const member = fc.constantFrom(
      "type",
      "delta",
      "item",
      "response",
      "index",
      "output_index",
      "content_block",
      "message",
      "usage",
      "x",
    );
    const kinds = [
      "response.completed",
      "response.output_item.done",
      "content_block_start",
      "content_block_delta",
      "message_start",
      "message_delta",
    ];
    const event = fc.oneof(
      fc.dictionary(member, fc.jsonValue()),
      fc.record({
        type: fc.constantFrom(...kinds),
        item: fc.jsonValue(),
        response: fc.jsonValue(),
        message: fc.jsonValue(),
        delta: fc.jsonValue(),
      }),
    );
    fc.assert(
      fc.property(fc.array(event), (events) => {
        const parts = READERS[wire]();
        for (const one of events) parts.chunk(one);
        assert.ok(["done", "failed"].includes(parts.finish("end").at(-1)?.type ?? ""));
      }),
      { numRuns: 1000 },
    );
  });
}

const HEAD = { serial: 1, model: "m", created: 1 };

function bytesOf(wire: keyof typeof WIRES, reply: Reply): Buffer {
  return Buffer.from(WIRES[wire].stream({ chunk: 7, ...reply }, HEAD));
}

interface ReadAnswer {
  readonly text: string;
  readonly reasoning: string;
  readonly last: ModelEvent | undefined;
}

/** The answer without the borders of its deltas, which the cuts may move. */
function read(wire: keyof typeof WIRES, parts: readonly Uint8Array[]): ReadAnswer {
  const reader = createSseReader();
  const answer = READERS[wire]();
  const events: ModelEvent[] = [];
  let ending: "done" | "end" = "end";
  const take = (all: readonly string[]) => {
    for (const data of all) {
      if (ending === "done") return;
      if (data !== "[DONE]" && isWhole(data)) events.push(...answer.chunk(JSON.parse(data)));
      if (data === "[DONE]" || answer.ended) ending = "done";
    }
  };
  for (const part of parts) take(reader.push(part));
  take(reader.end());
  events.push(...answer.finish(ending));
  const joined = (type: "text" | "reasoning") =>
    events.map((event) => (event.type === type ? event.text : "")).join("");
  return { text: joined("text"), reasoning: joined("reasoning"), last: events.at(-1) };
}

/** A stream that was cut ends in half an event, which the exchange reports as a broken stream. */
function isWhole(data: string): boolean {
  try {
    JSON.parse(data);
    return true;
  } catch {
    return false;
  }
}
