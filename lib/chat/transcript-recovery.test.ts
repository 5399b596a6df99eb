import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { sessionStore } from "../../fixtures/sim/session-store.js";
import type { TurnId } from "../base/units.js";
import type { NewMessage } from "../proto/chat.js";
import { openTranscript } from "./transcript.js";
import { closeTurnsOfEndedRuns } from "./transcript-recovery.js";

async function setup(t: TestContext) {
  const { clock, store, sessions } = sessionStore(t);
  const open = async (run?: number) => {
    const session = await sessions.create({ source: "cli", cwd: "/", profile: "default", model: "m", provider: "p" });
    return openTranscript({ store, clock, ...(run === undefined ? {} : { run }) }, session);
  };
  return { clock, store, open };
}

const user = (content: string): NewMessage => ({ role: "user", content });
const said = (content: string): NewMessage => ({ role: "assistant", content });

test("a turn that a client begins while its owner still starts is not closed", async (t) => {
  const { open, store, clock } = await setup(t);
  const transcript = await open();
  const { turn } = await transcript.beginTurn(user("go"));
  await closeTurnsOfEndedRuns(store, clock, async () => new Set());
  await transcript.append(turn, [said("still here")]);
});

test("turns of workers whose run is over are closed, those of runs that live or began meanwhile are not", async (t) => {
  const { open, store, clock } = await setup(t);
  const [ended, lives, begins] = [await open(7), await open(9), await open(8)];
  const [left, kept] = [await ended.beginTurn(user("work")), await lives.beginTurn(user("work"))];
  const begun: TurnId[] = [];
  await closeTurnsOfEndedRuns(store, clock, async () => {
    begun.push((await begins.beginTurn(user("work"))).turn);
    return new Set([9]);
  });
  await assert.rejects(ended.append(left.turn, [said("late")]), { code: "E_CONFLICT" });
  await lives.append(kept.turn, [said("in time")]);
  for (const turn of begun) await begins.append(turn, [said("in time")]);
  assert.equal(begun.length, 1);
});
