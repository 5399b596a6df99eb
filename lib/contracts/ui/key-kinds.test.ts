import assert from "node:assert/strict";
import { test } from "node:test";
import { coerce, fitting } from "./key-kinds.js";

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

for (const [written, fits] of [
  ["https://host/v1", true],
  ["HTTP://127.0.0.1:11434", true],
  ["", true],
  [`$${"{MY_SERVER}"}/v1`, true],
  ["localhost:11434/v1", false],
  ["not-a-url", false],
  ["https://", false],
  ["file:///etc", false],
] as const) {
  test(`${JSON.stringify(written)} ${fits ? "is" : "is not"} taken as the address of a server`, () => {
    assert.equal(fitting({ kind: { type: "string" }, form: "http_address" }, written).ok, fits);
  });
}
