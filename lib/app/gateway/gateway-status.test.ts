import assert from "node:assert/strict";
import { test } from "node:test";
import { lifeWorld } from "../../../fixtures/sim/gateway-life.js";
import { type Log, silentLog } from "../../base/log/log.js";
import { renderGatewayStatus, statusRows } from "../../commands/gateway/text.js";
import type { GatewaySeen } from "../../contracts/gateway/control.js";

const LISTENERS = {
  WEBHOOK_ENABLED: "true",
  WEBHOOK_HOST: "127.0.0.1",
  WEBHOOK_PORT: "0",
  MSGRAPH_WEBHOOK_ENABLED: "true",
  MSGRAPH_WEBHOOK_PORT: "0",
  MSGRAPH_WEBHOOK_CLIENT_STATE: "right",
};

test("status names the address of every listener, also of webhooks and of notifications of meetings, whatever port they got", async (t) => {
  const world = await lifeWorld(t, { script: [], env: LISTENERS });
  await world.host().begin();
  const status = await world.api().status();
  const seen: GatewaySeen = { ...status, service: null };
  for (const name of ["webhook", "msgraph"]) {
    const { state, listen, error_code } = status.platforms[name] ?? {};
    assert.deepEqual([name, state, error_code], [name, "connected", null]);
    assert.match(listen ?? "", /^127\.0\.0\.1:[1-9]\d*$/);
    assert.match(renderGatewayStatus(seen, false), new RegExp(`^${name}: connected .*listens on ${listen}`, "m"));
  }
  assert.equal((await fetch(`http://${status.platforms["webhook"]?.listen}/health`)).status, 200);
  assert.match(statusRows([seen]), /2\/2 connected/, "what is no platform is not counted as one");
  await world.host().stop();
  assert.deepEqual((await world.api().status()).platforms, {});
});

test("the log has a line for the start of the gateway and one for its end, with the reason", async (t) => {
  const lines: string[] = [];
  const info: Log["info"] = (text, facts) => void lines.push([text, facts?.["reason"] ?? ""].join(" ").trim());
  const log: Log = { ...silentLog, info, child: () => log };
  const world = await lifeWorld(t, { script: [], log });
  await world.host().begin();
  await world.host().stop({ why: "stop" });
  assert.deepEqual(
    lines.filter((line) => line.startsWith("gateway ")),
    ["gateway started", "gateway stopped planned stop"],
  );
});

test("a port that someone else has is the error of its listener, and names the setting", async (t) => {
  const first = await lifeWorld(t, { script: [], env: LISTENERS });
  await first.host().begin();
  const ports = (name: string) =>
    first
      .api()
      .status()
      .then(({ platforms }) => platforms[name]?.listen?.split(":").at(-1) ?? "");
  const taken = { WEBHOOK_PORT: await ports("webhook"), MSGRAPH_WEBHOOK_PORT: await ports("msgraph") };
  const second = await lifeWorld(t, { script: [], env: { ...LISTENERS, ...taken } });
  await second.host().begin();
  const { platforms } = await second.api().status();
  for (const [name, setting] of [
    ["webhook", /WEBHOOK_PORT/],
    ["msgraph", /MSGRAPH_WEBHOOK_PORT/],
  ] as const) {
    assert.deepEqual(
      [platforms[name]?.state, platforms[name]?.error_code, platforms[name]?.listen],
      ["retrying", "port_in_use", null],
    );
    assert.match(platforms[name]?.error_message ?? "", setting);
  }
});

test("the row of a profile names what keeps its platforms from working, and an unknown message says how old it is", async (t) => {
  const world = await lifeWorld(t, { script: [] });
  world.two.connects.push({ connected: false, code: "sdk_missing", message: "MSGD needs the package" });
  await world.host().begin();
  const status = await world.api().status();
  const seen: GatewaySeen = { ...status, service: null };
  assert.match(
    statusRows([seen]),
    /^default {2}running {2}pid \d+ {2}\d+ s {2}1\/2 connected {2}0 pending {2}0 unknown {2}msgd sdk_missing$/,
  );
  const one = {
    id: "ob_1",
    platform: "msgt",
    target: "msgt:42",
    kind: "answer",
    state: "unknown" as const,
    attempts: 1,
  };
  const row = { ...one, error: null, created_at: "2026-06-01T09:00:00Z", age_seconds: 75, preview: "Build red" };
  assert.match(
    renderGatewayStatus({ ...seen, unknown: [row] }, false),
    /^unknown: ob_1 {2}answer to msgt:42, 75 s ago: Build red/m,
  );
});
