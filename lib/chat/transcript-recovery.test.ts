import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../fixtures/sim/clock.js";
import { openFileStore } from "../../storage/file/open.js";
import { sessionMigrations } from "../../storage/schema/sessions.js";
import { randomIds } from "../base/ids.js";
import { silentLog } from "../base/log.js";
import type { TurnId } from "../base/units.js";
import type { NewMessage } from "../proto/chat.js";
import { createSessions } from "./sessions.js";
import { openTranscript } from "./transcript.js";
import { closeTurnsOfEndedRuns } from "./transcript-recovery.js";

async function setup(t: TestContext) {
  const clock = manualClock();
  const spec = { name: "sessions", path: "", kind: "sessions", migrations: sessionMigrations } as const;
  const store = openFileStore(spec, { host: "inline", memory: true, clock, log: silentLog });
  t.after(() => store.close());
  const sessions = createSessions({ store, clock, ids: randomIds });
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
