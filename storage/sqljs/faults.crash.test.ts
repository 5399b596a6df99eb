import assert from "node:assert/strict";
import { test } from "node:test";
import { type FaultPlan, faultRun } from "../../fixtures/sim/store-faults.js";

const CODES = ["EIO", "ENOSPC", "EMFILE", "EROFS", "SHORT"];
/** The crash tier sets `AGENT_TEST_SHORT`, empty for its full budget. */
const budget = process.env["AGENT_TEST_SHORT"] === "" ? "10000" : "1000";
const wanted = Number(process.env["AGENT_CRASH_POINTS"] ?? budget);
/** Every operation in the crash tier; fewer, spread evenly, in a quick run. */
const STEP = Math.max(1, Math.round(10_000 / wanted));

for (const code of CODES) {
  for (const mode of ["once", "always"] as const) {
    test(`an operation that fails with ${code} ${mode === "once" ? "once" : "from then on"} loses nothing and is told`, async (t) => {
      let nth = 1;
      for (; ; nth += STEP) {
        const report = await faultRun({ seed: 1 + (nth % 5), nth, code, mode });
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
    for (let nth = 1; nth < 2_000; nth++) {
      const report = await faultRun({ ...plan, seed: 1 + (nth % 5), nth });
      if (report.violations.length === 0) continue;
      t.diagnostic(`at operation ${nth}: ${report.violations[0]?.slice(0, 300)}`);
      return;
    }
    assert.fail("nobody noticed");
  });
}
