import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { sessionStore } from "../../../fixtures/sim/session-store.js";
import type { SessionId, TurnId } from "../../base/units.js";
import type { NewMessage } from "../../contracts/chat/chat.js";
import type { NextSegment } from "../../contracts/chat/compact.js";
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

const COMPACTED = {
  ok: true,
  reason: "start",
  tokens_before: 2,
  tokens_after: 1,
  messages_before: 2,
  messages_after: 1,
  method: "local",
  duration_ms: 1,
  count: 1,
} as const satisfies NextSegment["event"];

test("a turn that a client begins while its owner still starts is not closed", async (t) => {
  const { open, store, clock } = await setup(t);
  const transcript = await open();
  const { turn } = await transcript.beginTurn(user("go"));
  await closeTurnsOfEndedRuns(store, clock, async () => ({ named: new Set(), all: true }));
  await transcript.append(turn, [said("still here")]);
});

test("turns of workers whose run is over are closed, those of runs that live or began meanwhile are not", async (t) => {
  const { open, store, clock } = await setup(t);
  const ended = await open(7);
  const lives = await open(9);
  const begins = await open(8);
  const left = await ended.beginTurn(user("work"));
  const kept = await lives.beginTurn(user("work"));
  const begun: TurnId[] = [];
  await closeTurnsOfEndedRuns(store, clock, async () => {
    begun.push((await begins.beginTurn(user("work"))).turn);
    return { named: new Set([lives.session.id]), all: true };
  });
  await assert.rejects(ended.append(left.turn, [said("late")]), { code: "E_CONFLICT" });
  await lives.append(kept.turn, [said("in time")]);
  for (const turn of begun) await begins.append(turn, [said("in time")]);
  assert.equal(begun.length, 1);
});

test("a left turn is closed while another board has a live run of the same number", async (t) => {
  const { open, store, clock } = await setup(t);
  const ended = await open(7);
  const lives = await open(7);
  const left = await ended.beginTurn(user("work"));
  const kept = await lives.beginTurn(user("work"));
  await closeTurnsOfEndedRuns(store, clock, async () => ({ named: new Set([lives.session.id]), all: true }));
  await assert.rejects(ended.append(left.turn, [said("late")]), { code: "E_CONFLICT" });
  await lives.append(kept.turn, [said("in time")]);
});

test("the turn of a worker that lives goes on after a compaction has moved it to another segment", async (t) => {
  const { open, store, clock } = await setup(t);
  const lives = await open(7);
  const root = lives.session.id;
  const { turn } = await lives.beginTurn(user("work"));
  const id = "20260301_120000_ffffff" as SessionId; // its form
  await lives.nextSegment({
    id,
    turn,
    items: [{ role: "user", content: "before", kind: "summary" }],
    records: {},
    event: COMPACTED,
  });
  await closeTurnsOfEndedRuns(store, clock, async () => ({ named: new Set([root]), all: true }));
  await lives.append(turn, [said("in time")]);
});

test("the turn of a worker is not closed while a board that cannot be read may be that of its run", async (t) => {
  const { open, store, clock } = await setup(t);
  const unknown = await open(7);
  const { turn } = await unknown.beginTurn(user("work"));
  await closeTurnsOfEndedRuns(store, clock, async () => ({ named: new Set(), all: false }));
  await unknown.append(turn, [said("in time")]);
});
