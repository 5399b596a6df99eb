import assert from "node:assert/strict";
import { test } from "node:test";
import { type FaultPlan, faultRun } from "../../fixtures/sim/store-faults.js";

const CODES = ["EIO", "ENOSPC", "EMFILE", "EROFS", "SHORT"];
/** The crash tier sets `AGENT_TEST_SHORT`, empty for its full budget. */
const budget = process.env["AGENT_TEST_SHORT"] === "" ? "10000" : "1000";
/** Histories that differ. */
const SEEDS = 5;
const HISTORIES = 60;
const LAST = 12;
const wanted = Number(process.env["AGENT_CRASH_POINTS"] ?? budget);
/** Every operation in the crash tier; fewer, spread evenly, in a quick run. */
const STEP = Math.max(1, Math.round(10_000 / wanted));

for (const code of CODES) {
  for (const mode of ["once", "always"] as const) {
    test(`an operation that fails with ${code} ${mode === "once" ? "once" : "from then on"} loses nothing and is reported`, async (t) => {
      let nth = 1;
      for (; ; nth += STEP) {
        const report = await faultRun({ seed: 1 + (nth % SEEDS), nth, code, mode });
        assert.deepEqual(report.violations, []);
        if (!report.reached) break;
      }
      t.diagnostic(`${nth} operations`);
    });
  }
}

const PLANTED: readonly (Pick<FaultPlan, "sabotage" | "code" | "mode"> & { name: string })[] = [
  { name: "a failed fsync is only logged", code: "EIO", mode: "once", sabotage: { ignoreFailedSync: true } },
  { name: "a short append is not cut back", code: "SHORT", mode: "once", sabotage: { keepShortAppend: true } },
];

for (const { name, ...plan } of PLANTED) {
  test(`is caught: ${name}`, async (t) => {
    const caught = await firstViolation(plan);
    assert.ok(caught, "nobody noticed");
    t.diagnostic(caught);
  });
}

/** A sync that did not happen shows only when no later one covers it: the last operations of many histories fail, each once. */
async function firstViolation(plan: Pick<FaultPlan, "sabotage" | "code" | "mode">): Promise<string | undefined> {
  for (let seed = 1; seed <= HISTORIES; seed++) {
    const { operations } = await faultRun({ ...plan, seed, nth: Number.POSITIVE_INFINITY });
    for (let nth = operations; nth > operations - LAST; nth--) {
      const [violation] = (await faultRun({ ...plan, seed, nth })).violations;
      if (violation !== undefined) return `seed ${seed}, operation ${nth} of ${operations}: ${violation.slice(0, 300)}`;
    }
  }
  return undefined;
}
