import assert from "node:assert/strict";
import { test } from "node:test";
import { courierWorld } from "../../../fixtures/sim/courier-world.js";
import { simPlatform } from "../../../fixtures/sim/platform.js";
import { silentLog } from "../../base/log/log.js";
import { toReceipt } from "../adapter/send-outcome.js";
import { DEFAULT_RULES } from "../settings/delivery-rules.js";
import { whileSending } from "./send-once.js";

test("without a gateway a send that no platform can carry ends at once with the reason, not after a minute", async (t) => {
  const { store, clock, gateway } = await courierWorld(t, { tags: [] });
  const port = simPlatform("msgt", () => clock.now(), toReceipt).port;
  const platforms = [
    { ...port, prepareSend: async () => ({ code: "sdk_missing", message: "the package is not installed" }) as const },
  ];
  const deps = {
    store,
    clock,
    outbox: gateway.outbox,
    rules: DEFAULT_RULES,
    chance: Math.random,
    log: silentLog,
    platforms,
  };
  const reason = await whileSending(deps, async (stuck) => (stuck.aborted ? String(stuck.reason) : "waits"));
  assert.equal(reason, "Error: the package is not installed");
});
