import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { silentLog } from "../../lib/base/log/log.js";
import { systemSpawner } from "../../lib/base/process/spawn-system.js";
import type { ServerDefinition } from "./definition.js";
import { createPool } from "./pool.js";

test("the use of a server that has ended meanwhile leaves no timer behind", async (t) => {
  const home = mkdtempSync(join(tmpdir(), "language-pool-"));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const clock = manualClock();
  const pool = createPool({ spawner: systemSpawner, clock, log: silentLog, home });
  const definition = { id: "never" } as ServerDefinition; // nothing of it is asked before the server answers
  const slot = await pool.start("key", {
    definition,
    root: home,
    command: [process.execPath, "-e", "process.stdin.resume()"],
    env: {},
    options: {},
  });
  await pool.clear();
  while (clock.waiting > 0) await new Promise((resolve) => setImmediate(resolve)); // its question to the server goes with it
  pool.used(slot);
  assert.equal(clock.waiting, 0);
});
