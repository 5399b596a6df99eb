import assert from "node:assert/strict";
import { test } from "node:test";
import msgt from "./msgt.js";

test("setup takes numeric user ids alone, and says what an empty list means", () => {
  const question = msgt.setup?.find(({ variable }) => variable === "ALLOWED_USERS");
  assert.match(question?.hint ?? "", /^empty: .*pairing/);
  for (const good of ["42", "42, 43", "*"]) assert.equal(question?.problem?.(good), undefined, good);
  for (const bad of ["n", "@ann", "42,", "-100123"]) assert.match(question?.problem?.(bad) ?? "", /are numbers/, bad);
});
