import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { simMessage } from "../../../fixtures/sim/platform.js";
import type { ChatApi } from "../../contracts/chat/chat.js";
import type { Acknowledgements } from "./acknowledgements.js";
import { createBusyTexts } from "./busy-texts.js";
import type { LiveTurn, LiveTurns } from "./live-turns.js";
import { newProgress } from "./turn-progress.js";

/** A turn that runs, with so many children. */
function running(children: readonly { readonly status: string }[]) {
  const clock = manualClock();
  const told: string[] = [];
  let interrupted = 0;
  const live = {
    key: "k",
    session: "s",
    progress: newProgress(-60_000),
    interrupt: () => (interrupted += 1),
  } as unknown as LiveTurn; // as much of one as is asked
  const busy = createBusyTexts({
    chat: { children: async () => children } as unknown as ChatApi, // the same
    clock,
    live: { of: () => live, all: () => [live] } as unknown as LiveTurns, // the same
    acks: { tell: async (_, __, text) => void told.push(text) } as Acknowledgements, // the same
    mode: () => "interrupt",
    grace: () => 3_000,
    answers: async () => false,
    answersParked: async () => false,
  });
  return { busy, told, interrupts: () => interrupted };
}

test("a text does not interrupt while delegated work runs: it waits, and its writer is told", async () => {
  const { busy, told, interrupts } = running([{ status: "completed" }, { status: "running" }]);
  const met = await busy.meet(simMessage("msgt", "1", "hello"), "k");
  assert.ok(!("done" in met) && met.joins === false);
  await met.waits?.(1);
  assert.equal(interrupts(), 0);
  assert.match(told[0] ?? "", /^⏳ Subagent/);
});

test("delegated work that has ended does not keep a text from interrupting", async () => {
  const { busy, told, interrupts } = running([{ status: "completed" }]);
  const met = await busy.meet(simMessage("msgt", "1", "hello"), "k");
  assert.ok(!("done" in met));
  await met.waits?.(1);
  assert.equal(interrupts(), 1);
  assert.match(told[0] ?? "", /^⚡ Interrupting/);
});
