import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import type { Message } from "../model/messages.js";
import { inPortions } from "./deltas.js";

function setup() {
  const clock = manualClock();
  const sent: Message[] = [];
  const portions = inPortions(
    (ms, fn) => clock.after(ms, fn),
    (message) => void sent.push(message),
  );
  const at = new Date(0).toISOString();
  const take = (event: string, data: Record<string, unknown>) => portions.take({ topic: "session:s", event, at, data });
  const told = () =>
    sent.map((message) =>
      message.type === "chat" ? [message.event, message.data["text"], message.data["offset"]] : [],
    );
  return { clock, take, told, stop: portions.stop };
}

test("pieces of one text are reported as one, and none of it is lost", () => {
  const { clock, take, told } = setup();
  take("text.delta", { text: "one ", offset: 0 });
  take("text.delta", { text: "two ", offset: 4 });
  assert.deepEqual(told(), []);
  clock.advance(30);
  take("text.delta", { text: "three", offset: 8 });
  clock.advance(30);
  assert.deepEqual(told(), [
    ["text.delta", "one two ", 0],
    ["text.delta", "three", 8],
  ]);
});

test("whatever is no piece of the same text comes behind it at once", () => {
  const { take, told, clock } = setup();
  take("reasoning.delta", { text: "hm" });
  take("text.delta", { text: "a", offset: 0 });
  take("text.delta", { text: "c", offset: 2 });
  take("tool.started", { call_id: "1" });
  assert.deepEqual(told(), [
    ["reasoning.delta", "hm", undefined],
    ["text.delta", "a", 0],
    ["text.delta", "c", 2],
    ["tool.started", undefined, undefined],
  ]);
  clock.advance(100);
  assert.equal(told().length, 4);
});

test("a conversation that is left tells nothing more", () => {
  const { take, told, clock, stop } = setup();
  take("text.delta", { text: "a", offset: 0 });
  stop();
  clock.advance(100);
  assert.deepEqual(told(), []);
});
