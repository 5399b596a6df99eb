import assert from "node:assert/strict";
import { test } from "node:test";
import type { CageUse } from "../../../fixtures/permissions/by-agent.js";
import {
  openRows,
  renderResults,
  rowsToRun,
  runRowsDirectly,
  tryRows,
  writeOpenRows,
} from "../../../fixtures/permissions/corpus.js";
import { hostileRows } from "../../../fixtures/permissions/rows.js";
import { noSandbox } from "../../../fixtures/permissions/sandbox.js";
import { proves } from "../../../fixtures/requirements.js";
import { programOnPath } from "../../base/process/program-path.js";

const SHORT = process.env["AGENT_TEST_SHORT"] === "1";
const skip = noSandbox() ?? false;
const noCage = programOnPath("bwrap", process.env["PATH"]) === undefined ? "bubblewrap is not installed" : false;

test("the hostile corpus holds at least 600 rows, each with an id of its own", () => {
  const ids = hostileRows({ port: 0 }).map((row) => row.id);
  assert.ok(ids.length >= 600, `${ids.length}`);
  assert.equal(new Set(ids).size, ids.length);
});

test("each row of the hostile corpus has its effect when no agent holds it back", { skip }, async (t) => {
  const shown = new Set(hostileRows({ port: 0 }).flatMap((row) => (row.unshown === undefined ? [row.id] : [])));
  const results = await runRowsDirectly(rowsToRun(SHORT).filter((id) => shown.has(id)));
  t.diagnostic(renderResults("without the agent", results));
  const idle = results.filter(({ found }) => !found.asDeclared);
  assert.deepEqual(
    idle.map(
      ({ row, found }) =>
        `${row.id}: ${row.effect} ${row.target}, but ${found.effects.join(", ")}: ${found.text.slice(0, 200)}`,
    ),
    [],
  );
});

const WAYS: readonly (readonly [title: string, cage: CageUse, skip: string | false])[] = [
  ["in the cage", "auto", skip || noCage],
  ["without a cage", "off", skip],
];

for (const [title, cage, without] of WAYS) {
  test(`no hostile row has an effect outside the project ${title}: no file, setting, secret or cloud`, {
    skip: without,
  }, async (t) => {
    proves(t, "R7");
    const results = await tryRows(rowsToRun(SHORT), cage);
    t.diagnostic(renderResults(title, results));
    if (process.env["OPEN"] === "write") writeOpenRows(cage, results);
    const open = openRows(cage);
    const hit = results.filter(({ found }) => found.effects.length > 0);
    assert.deepEqual(
      hit
        .filter(({ row }) => !open.has(row.id))
        .map(({ row, found }) => `${row.id}: ${found.effects.join(", ")}: ${found.text.slice(0, 300)}`),
      [],
      "rows that have an effect",
    );
    const holding = results.filter(({ found, row }) => found.effects.length === 0 && open.has(row.id));
    assert.deepEqual(
      holding.map(({ row }) => row.id),
      [],
      "rows of the open list that hold now: remove them from it",
    );
  });
}
