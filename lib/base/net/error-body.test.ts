import assert from "node:assert/strict";
import { test } from "node:test";
import { errorBodyText } from "./error-body.js";

test("the refusal of a service reads as its code and message, whatever its form", () => {
  assert.equal(errorBodyText('{"code":"invalid-argument","error":"unknown model"}'), "invalid-argument: unknown model");
  assert.equal(
    errorBodyText('{"error":{"code":"rate_limit_exceeded","message":"too  many\\nrequests","type":"x"}}'),
    "rate_limit_exceeded: too many requests",
  );
  assert.equal(errorBodyText('{"error":"gone"}'), "gone");
  assert.equal(errorBodyText('{"detail":"no such voice"}'), "no such voice");
  assert.equal(errorBodyText("<html>busy</html>"), "<html>busy</html>");
  assert.equal(errorBodyText(`😀${"x".repeat(900)}`), `😀${"x".repeat(499)}`);
});
