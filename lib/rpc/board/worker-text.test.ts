import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { createBus, type LiveDelta } from "../../backplane/bus.js";
import { createWorkerText } from "./worker-text.js";

test("who looks at a worker's conversation sees its answer grow, also from its middle on", () => {
  const bus = createBus();
  const told: LiveDelta[] = [];
  bus.onDelta("session:s", (delta) => told.push(delta));
  const { done } = createWorkerText(bus, manualClock());
  const draft = (text: string) => done("transcript.draft", { session: "s", turn: "s:1", text });
  draft("one");
  draft("one two");
  draft("one two");
  draft("other");
  done("transcript.append", { session: "s", turn: "s:1" });
  draft("next");
  assert.deepEqual(
    told.map(({ event, data }) => [event, data["text"], data["offset"]]),
    [
      ["text.delta", "one", 0],
      ["text.delta", "one two", 0],
      ["text.reset", undefined, undefined],
      ["text.delta", "other", 0],
      ["text.delta", "next", 0],
    ],
  );
});
