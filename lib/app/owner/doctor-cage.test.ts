import assert from "node:assert/strict";
import { test } from "node:test";
import { layOutHome } from "../../base/home.js";
import { randomIds } from "../../base/ids.js";
import { systemSpawner } from "../../base/process/spawn-system.js";
import { systemClock } from "../../base/time/clock.js";
import type { LoadedConfig } from "../../config/load-config.js";
import type { Cages } from "../../safety/cage/cages.js";
import type { NoCage } from "../../safety/cage/types.js";
import { examineCage } from "./doctor-cage.js";

const MISSING: NoCage = {
  on: false,
  kind: "missing",
  why: "bubblewrap (bwrap) is not installed",
  remedy: "sudo apt-get install bubblewrap",
};

function options(use: string) {
  const cages = { status: () => Promise.resolve(MISSING) } as Partial<Cages> as Cages; // nothing else is asked where it is off
  const config = { get: () => use } as Partial<LoadedConfig> as LoadedConfig; // one setting is read
  return {
    cages,
    config,
    home: layOutHome("/nonexistent"),
    spawner: systemSpawner,
    clock: systemClock,
    ids: randomIds,
  };
}

test("doctor reports a missing cage with the command that installs it", async () => {
  assert.deepEqual(await examineCage(options("auto")), [
    {
      name: "cage",
      status: "warn",
      detail: "commands are not sandboxed: bubblewrap (bwrap) is not installed",
      fix: "sudo apt-get install bubblewrap",
    },
  ]);
});

test("doctor fails where the cage is required and missing", async () => {
  const [found] = await examineCage(options("required"));
  assert.deepEqual([found?.status, /so commands are refused/.test(found?.detail ?? "")], ["fail", true]);
});
