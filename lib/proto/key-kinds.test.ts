import assert from "node:assert/strict";
import { test } from "node:test";
import { coerce } from "./key-kinds.js";

const choices: [of: readonly string[], written: unknown, means: string | undefined][] = [
  [["false", "orchestrator", "true"], true, "true"],
  [["false", "orchestrator", "true"], false, "false"],
  [["false", "orchestrator", "true"], "orchestrator", "orchestrator"],
  [["off", "on", "auto"], false, "off"],
  [["off", "on", "auto"], true, "on"],
  [["off", "on", "auto"], "yes", undefined],
];

for (const [of, written, means] of choices) {
  test(`${JSON.stringify(written)} in the file means ${means ?? "nothing"} where the choices are ${of.join(", ")}`, () => {
    const read = coerce({ type: "choice", of }, written);
    assert.equal(read.ok ? read.value : undefined, means);
  });
}
