import assert from "node:assert/strict";
import { test } from "node:test";
import { errorText } from "./error-text.js";

for (const body of ["{}", '{"error":{}}', '{"code":"x"}', '{"error":{"error":{}}}', '{"detail":{}}'])
  test(`an error body without a message is shown as it is: ${body}`, () => {
    assert.match(errorText(body).message, /^\{/);
  });

test("a message that holds JSON is read to its end", () => {
  assert.equal(errorText(JSON.stringify({ message: JSON.stringify({ error: { message: "deep" } }) })).message, "deep");
});
