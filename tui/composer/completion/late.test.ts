import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import type { Client } from "../../../lib/backplane/client.js";
import type { EffectContext } from "../../effects/effect.js";
import type { Message } from "../../model/messages.js";
import { createComposerEffects } from "../effects.js";

/** The feed before an owner that answers when the test says so. */
function slowOwner(t: TestContext) {
  const clock = manualClock();
  const ended = new AbortController();
  t.after(() => ended.abort());
  const calls: { readonly text: string; readonly answer: (texts: readonly string[]) => void }[] = [];
  const call = (_method: string, { text }: { readonly text: string }, { signal }: { readonly signal: AbortSignal }) =>
    new Promise((resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      calls.push({
        text,
        answer: (texts) =>
          resolve(texts.map((one) => ({ text: one, label: one, detail: "", kind: "command", from: 1 }))),
      });
    });
  const told: Message[] = [];
  const works: Promise<void>[] = [];
  const feed = createComposerEffects({
    options: { cwd: "/", env: {}, after: (ms: number, act: () => void) => clock.after(ms, act) },
    client: { call } as unknown as Client, // nothing else of it is used for what is offered
    signal: ended.signal,
    send: (message: Message) => told.push(message),
    run: (_what: string, work: () => Promise<void>) => works.push(work()),
  } as unknown as EffectContext); // the same holds for its options
  const ask = (asked: number, line: string, patient = false) =>
    feed.perform?.(
      { do: "complete", asked, line, session: undefined, ...(patient ? { patient: true } : {}) },
      undefined,
    );
  const offers = () =>
    told.flatMap((one) => (one.type === "offered" ? [[one.asked, one.rows.map(({ text }) => text)]] : []));
  /** Until everything that was begun has come to its end. */
  const rest = async () => {
    for (let seen = 0; seen < works.length; ) seen = (await Promise.all(works)).length;
  };
  return { clock, calls, ask, offers, rest, works };
}

test("an answer that comes after its time is not shown, and the question that someone waits for by Tab is told however late", async (t) => {
  const { clock, calls, ask, offers, rest } = slowOwner(t);
  ask(1, "/sta");
  clock.advance(50);
  await rest();
  calls[0]?.answer(["status"]);
  ask(2, "/sta", true);
  clock.advance(3_000);
  calls[1]?.answer(["status"]);
  await rest();
  assert.deepEqual(offers(), [[2, ["status"]]]);
});

test("who waits for what is offered gives way to what is typed, and is told that nothing comes where the owner does not respond", async (t) => {
  const { clock, calls, ask, offers, rest, works } = slowOwner(t);
  ask(1, "/sta", true);
  ask(2, "/stat");
  await works[0]; // its end begins the next
  calls[1]?.answer(["status"]);
  await rest();
  ask(3, "/stat", true);
  clock.advance(5_000);
  await rest();
  assert.deepEqual(offers(), [
    [1, []],
    [2, ["status"]],
    [3, []],
  ]);
});
