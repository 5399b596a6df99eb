import assert from "node:assert/strict";
import { test } from "node:test";
import { world } from "../../../fixtures/e2e/world.js";
import { startMsgt } from "../../../fixtures/servers/msgt/server.js";
import type { GatewayStatus } from "../../contracts/gateway/api.js";

const TOKEN = "4242:token-of-the-test-bot";

test("GW-28: an answer whose call a kill cut off is not repeated by the next gateway; status names it, and gateway outbox retry sends it", async (t) => {
  const server = await startMsgt({ token: TOKEN });
  t.after(() => server.close());
  const made = await world(t, { model: { script: { replies: [{ text: "PONG" }] } }, name: "any", faults: true });
  const env = {
    MSGT_BOT_TOKEN: TOKEN,
    MSGT_API_BASE: server.url,
    MSGT_ALLOWED_USERS: "7",
    MSGT_BATCH_DELAY_MS: "0",
    MSGT_HOME_CHANNEL: "7",
    MSGT_GATEWAY_RESTART_NOTIFICATION: "no",
  };
  const first = made.start(["gateway", "run"], { env: { ...env, AGENT_FAULT: "outbox.called:1" } });
  server.update({
    message: {
      message_id: 11,
      date: 1_760_000_000,
      text: "ping",
      chat: { id: 7, type: "private" },
      from: { id: 7, first_name: "U" },
    },
  });
  assert.equal((await first.ended).code, 128, "it was killed");
  const shown = () => server.shown.map(({ text }) => text);
  assert.deepEqual(shown(), ["PONG"]);
  const next = made.start(["gateway", "run"], { env });
  await next.line((line) => line.includes("gateway of"));
  const { unknown, outbox } = await made.json<GatewayStatus>("gateway", "status");
  assert.deepEqual(
    [unknown.map(({ target, preview }) => [target, preview]), outbox.unknown, shown()],
    [[["msgt:7", "PONG"]], 1, ["PONG"]],
  );
  const retried = await made.run(["gateway", "outbox", "retry", unknown[0]?.id ?? ""]);
  assert.deepEqual([retried.code, retried.out], [0, `${unknown[0]?.id} queued for sending\n`]);
  await server.until(() => server.shown.length === 2);
  assert.deepEqual(shown(), ["PONG", "PONG"]);
  await next.end("SIGINT");
});
