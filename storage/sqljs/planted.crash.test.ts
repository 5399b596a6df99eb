import assert from "node:assert/strict";
import { test } from "node:test";
import { type CrashPlan, crashRun } from "../../fixtures/sim/store-crash.js";

/** Defects that someone could write; a suite that lets one pass proves nothing about the product. */
const PLANTED: readonly (Pick<CrashPlan, "sabotage" | "ignoreSync"> & { readonly name: string })[] = [
  { name: "the journal is appended without fsync", ignoreSync: (path) => path.includes(".log-") },
  { name: "the checkpoint is not synced before its rename", ignoreSync: (path) => path.endsWith(".next") },
  { name: "the directory is not synced after a rename", ignoreSync: (path) => path === "/home" },
  { name: "checksums are not compared", sabotage: { skipCrc: true } },
  { name: "replies and events leave before the fsync", sabotage: { ackBeforeSync: true } },
  { name: "old journals are removed before the rename", sabotage: { removeEarly: true } },
  { name: "two bodies may be open at once", sabotage: { noMutex: true } },
  { name: "what is allocated ahead begins at a whole sector, over the end of the frame", sabotage: { padOver: true } },
  { name: "a journal goes on behind what was allocated ahead", sabotage: { goOnBehind: true } },
];

const POINTS_MAX = 10_000;

for (const { name, ...plan } of PLANTED) {
  test(`is caught: ${name}`, async (t) => {
    let points = 0;
    for (let seed = 1; points < POINTS_MAX; seed++) {
      const report = await crashRun({ ...plan, seed, rounds: 4, points: POINTS_MAX - points });
      points += report.points;
      if (report.violations.length === 0) continue;
      t.diagnostic(`after ${points} crash points: ${report.violations[0]?.slice(0, 300)}`);
      return;
    }
    assert.fail(`${points} crash points and nobody noticed`);
  });
}
