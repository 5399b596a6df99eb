import assert from "node:assert/strict";
import { test } from "node:test";
import type { MessageRecord } from "../../contracts/chat/chat.js";
import { prepareMessages } from "../../models/wire/messages.js";
import { toWire } from "./request.js";

/** A conversation as it is stored, and as every protocol sends it. */
function sent(...messages: readonly Partial<MessageRecord>[]) {
  return prepareMessages(toWire("system", messages.map(record))).slice(1);
}

const record = (message: Partial<MessageRecord>, at: number) =>
  ({ id: at + 1, ordinal: at + 1, content: "", active: true, ...message }) as MessageRecord; // nothing else is looked at

const called = (id: string, args: string): Partial<MessageRecord> => ({
  role: "assistant",
  toolCalls: [{ id, name: "echo", arguments: args }],
});
const result = (id: string, content: string): Partial<MessageRecord> => ({
  role: "tool",
  toolCallId: id,
  toolName: "echo",
  content,
});

test("each call keeps its own result when a server gives the same id to calls of different answers", () => {
  const wire = sent(
    { role: "user", content: "go" },
    called("call_0", "{}"),
    result("call_0", "one"),
    called("call_0", "{}"),
    result("call_0", "two"),
  );
  assert.deepEqual(
    wire.filter(({ role }) => role === "tool").map(({ content }) => content),
    ["one", "two"],
  );
});

test("a model whose stored arguments are no JSON is told so", () => {
  const [, answer, told] = sent(
    { role: "user", content: "go" },
    called("a", '{"text": "cut'),
    result("a", "no such thing"),
  );
  assert.deepEqual(answer?.role === "assistant" ? answer.toolCalls?.[0]?.arguments : undefined, "{}");
  assert.match(told?.content ?? "", /^\[The arguments of this call were damaged.*\]\nno such thing$/);
});

test("what was undone is not sent, and neither is an answer in which nothing stands", () => {
  const wire = sent(
    { role: "user", content: " one " },
    { role: "assistant", content: " " },
    { role: "user", content: "gone", active: false },
  );
  assert.deepEqual(wire, [{ role: "user", content: "one" }]);
});

test("a message that goes out again is not made again, and one that was changed is", () => {
  const first = record({ role: "user", content: " hi " }, 0);
  const before = toWire("s", [first]);
  const later = toWire("s", [first, record({ role: "assistant", content: "there" }, 1)]);
  assert.equal(later[1], before[1]);
  assert.equal(toWire("s", [{ ...first, content: "other" }])[1]?.content, "other");
});

test("a list that grows is said like one that is new, also when a result comes before an earlier one", () => {
  const all = [
    record({ role: "user", content: "go" }, 0),
    record(called("a", "{}"), 1),
    record(result("b", "second"), 3),
    record(result("a", "first"), 2),
    record({ role: "user", content: "gone", active: false }, 4),
    record({ role: "assistant", content: "there" }, 5),
  ];
  const growing: MessageRecord[] = [];
  for (const message of all) {
    growing.push(message);
    assert.deepEqual(toWire("s", growing), toWire("s", [...growing]));
  }
  assert.deepEqual(
    toWire("s", growing).map(({ content }) => content),
    ["s", "go", "", "first", "second", "there"],
  );
});
