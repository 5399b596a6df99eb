import assert from "node:assert/strict";
import { test } from "node:test";
import { loginWorld } from "../../../fixtures/sim/login-world.js";
import { Secret } from "../../base/secret.js";
import { createRedactor } from "../../safety/redact/redact.js";
import { loginSecrets } from "./secrets.js";

test("tokens and keys of the store are known as secrets from the moment they are stored, and after they were replaced", async (t) => {
  const world = await loginWorld(t);
  const known = loginSecrets(world.root);
  const redactor = createRedactor({ known, enabled: true });
  assert.deepEqual(known(), []);
  await world.auth.addKey("router", new Secret("correct horse".replace(" ", "-")), {});
  assert.equal(redactor.text("the key is correct-horse"), "the key is [secret:api_key]");
  await world.login();
  const { refresh_token: before } = world.file().credential_pool["subscription"]?.[0] ?? {};
  assert.ok(!redactor.text(`sent ${String(before)}`).includes(String(before)));
  await world.auth.refresh("subscription", false);
  const { refresh_token: after } = world.file().credential_pool["subscription"]?.[0] ?? {};
  for (const token of [before, after]) assert.ok(!redactor.text(`sent ${String(token)}`).includes(String(token)));
  assert.equal(known(), known());
});
