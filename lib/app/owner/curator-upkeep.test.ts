import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { silentLog } from "../../base/log/log.js";
import type { ChatApi } from "../../contracts/chat/chat.js";
import type { CuratorApi } from "../../contracts/skills/curator.js";
import { createCuratorUpkeep } from "./curator-upkeep.js";

function setup(t: TestContext, { skills = true, enabled = true } = {}) {
  const dir = mkdtempSync(join(tmpdir(), "agent-curator-upkeep-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  if (skills) mkdirSync(join(dir, "skills"));
  const clock = manualClock();
  const looks: (number | undefined)[] = [];
  const state = { busy: false, turn: clock.now(), stopped: false };
  const curator: Pick<CuratorApi, "runWhenDue"> = {
    runWhenDue: async (idle, signal) => {
      looks.push(idle);
      signal.addEventListener("abort", () => (state.stopped = true));
      return undefined;
    },
  };
  const upkeep = createCuratorUpkeep({
    home: { dir },
    chat: { list: async () => [{ last_active_at: state.turn }] } as unknown as Pick<ChatApi, "list">, // it asks for nothing else
    isBusy: async () => state.busy,
    skills: { curator: async () => curator as CuratorApi }, // it asks for nothing else
    config: { get: <T>(key: { readonly key: string; readonly default: T }) => (enabled as T) ?? key.default },
    clock,
    log: silentLog,
  });
  const later = async (ms: number) => {
    clock.advance(ms);
    await new Promise((resolve) => setImmediate(resolve));
  };
  const quarter = () => later(15 * 60_000);
  return { upkeep, clock, looks, state, later, quarter };
}

test("the curator is asked every quarter of an hour, with the time since the last turn, and not while one runs", async (t) => {
  const { upkeep, clock, looks, state, later, quarter } = setup(t);
  upkeep.start();
  await later(0);
  await quarter();
  state.busy = true;
  await quarter();
  assert.deepEqual(looks, [0, 900_000, undefined]);
  await upkeep.stop();
  assert.equal(state.stopped, true);
  assert.equal(clock.waiting, 0);
});

test("where there are no skills, or the curator is off, nothing is loaded for it", async (t) => {
  for (const options of [{ skills: false }, { enabled: false }]) {
    const { upkeep, looks, later, quarter } = setup(t, options);
    upkeep.start();
    await later(0);
    await quarter();
    assert.deepEqual(looks, []);
    await upkeep.stop();
  }
});
