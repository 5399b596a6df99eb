import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { DEFAULT, mapConfig } from "../../../fixtures/sim/board-world.js";
import { AppError } from "../../base/errors.js";
import { silentLog } from "../../base/log/log.js";
import { testSignal } from "../../base/process/signal.js";
import type { BoardSlug } from "../../base/units.js";
import type { GcApi, GcReport } from "../../contracts/board/gc.js";
import { createAutoGc } from "./auto.js";

const HOUR = 3_600_000;
const OTHER = "other" as BoardSlug; // a slug by its pattern

async function setup(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), "auto-gc-"));
  const clock = manualClock();
  const settings = new Map<string, unknown>([["kanban.auto_gc", true]]);
  const cleared: string[] = [];
  const board: GcApi = {
    gc: async (slug) => {
      if (slug === DEFAULT) throw new AppError("E_STORE", "damaged");
      cleared.push(slug);
      const report: Pick<GcReport, "workspaces" | "events" | "logs" | "size_bytes"> = {
        workspaces: [],
        events: { count: 0, size_bytes: 0 },
        logs: [],
        size_bytes: 0,
      };
      return report as GcReport; // all that is looked at
    },
  };
  const looked = testSignal<"ran" | "not due">();
  const begin = async () => {
    const service = createAutoGc({
      clock,
      board,
      root,
      log: silentLog,
      config: mapConfig(settings),
      slugs: async () => [DEFAULT, OTHER],
      signals: { looked },
    });
    await service.start();
    return service;
  };
  let service = await begin();
  t.after(async () => {
    await service.stop(0);
    rmSync(root, { recursive: true, force: true });
  });
  return {
    clock,
    settings,
    cleared,
    restart: async () => {
      await service.stop(0);
      service = await begin();
    },
    next: async (ms: number) => {
      await clock.waits(1);
      const seen = looked.next();
      clock.advance(ms);
      return seen;
    },
  };
}

test("boards are cleared once a day, and one that cannot be does not keep the others", async (t) => {
  const { next, cleared, restart } = await setup(t);
  assert.deepEqual([await next(60_000), cleared], ["ran", [OTHER]]);
  assert.equal(await next(60_000), "not due");
  await restart();
  assert.equal(await next(60_000), "not due");
  assert.deepEqual([await next(24 * HOUR), cleared], ["ran", [OTHER, OTHER]]);
});

test("the setting is looked at each time, and a clock that was wrong delays nothing", async (t) => {
  const { next, settings, clock } = await setup(t);
  settings.set("kanban.auto_gc", false);
  assert.equal(await next(60_000), "not due");
  settings.set("kanban.auto_gc", true);
  assert.equal(await next(60_000), "ran");
  clock.jumpWall(-400 * 24 * HOUR);
  assert.equal(await next(60_000), "ran");
});
