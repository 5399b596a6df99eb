import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { CageUse } from "../../../fixtures/permissions/by-agent.js";
import { type HarmlessResult, harmlessRows, tryHarmless } from "../../../fixtures/permissions/harmless.js";
import { listOf } from "../../../fixtures/permissions/rows.js";
import { noSandbox } from "../../../fixtures/permissions/sandbox.js";
import { programOnPath } from "../../base/process/program-path.js";

const EVERY = process.env["AGENT_TEST_SHORT"] === "1" ? 6 : 1;
const skip = noSandbox() ?? false;
const noCage = programOnPath("bwrap", process.env["PATH"]) === undefined ? "bubblewrap is not installed" : false;

async function tryAll(t: TestContext, cage: CageUse): Promise<readonly HarmlessResult[]> {
  const results = await tryHarmless(await harmlessRows(EVERY), cage);
  const asked = results.filter((one) => one.asked).length;
  t.diagnostic(`${results.length} lines, ${asked} asked about`);
  const different = results.filter(({ differs }) => differs !== undefined);
  assert.deepEqual(
    different.map(({ differs, row }) => `${row.text}\n  ${differs}`),
    [],
    "lines that go another way than in a plain shell",
  );
  return results;
}

const askedLines = (results: readonly HarmlessResult[]) =>
  results.flatMap(({ asked, row }) => (asked ? [row.text] : []));

test("the harmless corpus holds at least 300 lines", () => assert.ok(listOf("harmless.txt").length >= 300));

test("everyday work in the cage is never asked about, and goes as in a plain shell", {
  skip: skip || noCage,
}, async (t) => {
  assert.deepEqual(askedLines(await tryAll(t, "auto")), []);
});

test("everyday work without a cage is asked about in the reviewed cases alone, at most 15 of 300", {
  skip,
}, async (t) => {
  const results = await tryAll(t, "off");
  const reviewed = listOf("harmless-asked.txt");
  assert.ok(reviewed.length <= 15, `${reviewed.length}`);
  assert.deepEqual(
    askedLines(results),
    reviewed.filter((line) => results.some(({ row }) => row.text === line)),
  );
});
