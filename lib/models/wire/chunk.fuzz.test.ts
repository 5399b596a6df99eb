import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import * as z from "zod";
import { readChunk } from "./chunk.js";

const text = z.string().nullish().catch(undefined);
const count = z.number().nullish().catch(undefined);
const record = z.record(z.string(), z.unknown());
const called = z.looseObject({ name: text, arguments: z.union([z.string(), record]).nullish().catch(undefined) });
const call = z.looseObject({ index: count, id: text, function: called.nullish() });
const delta = z.looseObject({
  content: text,
  reasoning_content: text,
  reasoning: text,
  refusal: text,
  reasoning_details: z.array(record).nullish().catch(undefined),
  tool_calls: z.array(call).nullish().catch(undefined),
});
const choice = z.looseObject({ delta: delta.nullish(), message: delta.nullish(), finish_reason: text });
/** What the wire may hold, said as a schema. */
const schema = z.looseObject({ model: text, choices: z.array(choice).nullish().catch(undefined) });

const leaf = fc.oneof(
  fc.string({ maxLength: 3 }),
  fc.double({ noNaN: true }),
  fc.constantFrom(null, true, [], {}, [null], [{}], [{ a: 1 }]),
);
/** An object with some of these members, or anything else. */
const object = (members: Record<string, fc.Arbitrary<unknown>>) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ ...members, other: leaf }, { requiredKeys: [] }) },
    { weight: 1, arbitrary: leaf },
  );
const list = (of: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 6, arbitrary: fc.array(of, { maxLength: 3 }) }, { weight: 1, arbitrary: leaf });
const callGiven = object({ index: leaf, id: leaf, type: leaf, function: object({ name: leaf, arguments: leaf }) });
const deltaGiven = object({
  content: leaf,
  reasoning_content: leaf,
  reasoning: leaf,
  refusal: leaf,
  reasoning_details: list(object({})),
  tool_calls: list(callGiven),
});
const given = object({
  model: leaf,
  choices: list(object({ delta: deltaGiven, message: deltaGiven, finish_reason: leaf })),
});

test("a chunk is read as its schema says, whatever stands in it", () => {
  fc.assert(
    fc.property(given, (made) => {
      const value: unknown = JSON.parse(JSON.stringify(made));
      const parsed = schema.safeParse(value);
      const read = readChunk(value);
      if (!parsed.success) return assert.equal(read.delta, undefined);
      const first = parsed.data.choices?.[0];
      const wanted = first?.delta ?? first?.message;
      assert.deepEqual([read.model, read.finish], [parsed.data.model ?? undefined, first?.finish_reason ?? undefined]);
      assert.equal(read.delta === undefined, wanted == null);
      if (wanted == null || read.delta === undefined) return;
      assert.deepEqual(
        [read.delta.content, read.delta.refusal],
        [wanted.content ?? undefined, wanted.refusal ?? undefined],
      );
      assert.equal(read.delta.thought || undefined, wanted.reasoning_content || wanted.reasoning || undefined);
      assert.deepEqual(read.delta.details, wanted.reasoning_details ?? []);
      const calls = (wanted.tool_calls ?? []).map(({ index, id, type: _type, function: fn, ...extra }) => {
        const args =
          typeof fn?.arguments === "object" && fn.arguments !== null
            ? JSON.stringify(fn.arguments)
            : (fn?.arguments ?? undefined);
        return { index: index ?? undefined, id: id ?? undefined, name: fn?.name ?? undefined, arguments: args, extra };
      });
      assert.deepEqual(read.delta.calls, calls);
    }),
  );
});

test("a member named __proto__ changes nothing but itself", () => {
  const value: unknown = JSON.parse('{"choices":[{"delta":{"tool_calls":[{"id":"a","__proto__":{"polluted":1}}]}}]}');
  const [read] = readChunk(value).delta?.calls ?? [];
  assert.deepEqual(Object.keys(Object.assign({}, read?.extra)), []);
  assert.equal(Reflect.get(Object.assign({}, read?.extra), "polluted"), undefined);
});
