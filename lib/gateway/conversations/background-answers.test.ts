import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { simMessage } from "../../../fixtures/sim/platform.js";
import { openFileStore } from "../../../storage/file/open.js";
import { STATE_MIGRATIONS } from "../../../storage/schema/state.js";
import { silentLog } from "../../base/log/log.js";
import type { SessionId } from "../../base/units.js";
import type { ChatEvent } from "../../contracts/chat/chat.js";
import type { NewSend } from "../../contracts/gateway/outbox.js";
import { type BackgroundDeps, backgroundAnswers } from "./background-answers.js";

const SESSION = "20260101_000000_abcdef" as SessionId; // an id of this test

type Ended = {
  readonly final_response: string;
  readonly exit_reason: string;
  readonly error?: { readonly message: string };
};

/** Owners one after the other over one store; `knows` is what the conversation has become when one starts. */
async function setup(t: TestContext) {
  const clock = manualClock();
  const spec = { name: "state", path: "", kind: "state", migrations: STATE_MIGRATIONS } as const;
  const store = openFileStore(spec, { host: "inline", memory: true, clock, log: silentLog });
  t.after(() => store.close());
  const sent: NewSend[] = [];
  const owner = (knows: Ended | "nothing" | "runs") => {
    let inserted: () => void = () => undefined;
    const posted = new Promise<void>((resolve) => {
      inserted = resolve;
    });
    const chat: BackgroundDeps["chat"] = {
      isBusy: async () => knows === "runs",
      messages: async () => (knows === "nothing" || knows === "runs" ? [] : [{} as never]), // only their number counts
      events: async function* (session, _after, signal) {
        if (typeof knows === "object")
          yield { event: "turn.ended", session_id: session, at: 0, data: { ...knows } } satisfies ChatEvent;
        else await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      },
    };
    const insert = async (sends: readonly NewSend[]) => {
      for (const one of sends) if (sent.every(({ sourceKey }) => sourceKey !== one.sourceKey)) sent.push(one);
      inserted();
      return sends.length;
    };
    return { ...backgroundAnswers({ chat, store, clock, outbox: () => ({ insert }), log: silentLog }), posted };
  };
  return { owner, texts: () => sent.map(({ payload }) => payload.text) };
}

const ENDED = { final_response: "ASIDE", exit_reason: "text_response" };
const rows = [
  ["the answer that it did not live to post", ENDED, /ASIDE$/],
  [
    "that it was cut off with the owner",
    { ...ENDED, exit_reason: "owner_stopped" },
    /⚠️ The program ended before this was answered/,
  ],
  ["that it never began", "nothing", /⚠️ The program ended before this was answered/],
  ["why it failed", { ...ENDED, error: { message: "no model" } }, /⚠️ no model$/],
] as const;

for (const [what, knows, says] of rows) {
  test(`P1: what was asked in the background before an owner died is reported by the next, once: ${what}`, async (t) => {
    const { owner, texts } = await setup(t);
    const first = owner("runs");
    await first.service.start();
    await first.owe(simMessage("msgt", "1", "/background x"), SESSION);
    await first.service.stop(0);
    assert.deepEqual(texts(), []);
    const second = owner(knows);
    await second.service.start();
    await second.posted;
    await second.service.stop(0);
    const [text = "", ...more] = texts();
    assert.match(text, says);
    assert.ok(text.startsWith(`🔎 Background ${SESSION}:`));
    assert.deepEqual(more, []);
    // No one is owed anything any more.
    const third = owner(knows);
    await third.service.start();
    await third.service.stop(0);
    assert.equal(texts().length, 1);
  });
}
