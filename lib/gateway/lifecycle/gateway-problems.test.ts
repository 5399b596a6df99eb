import assert from "node:assert/strict";
import { test } from "node:test";
import { lifeWorld } from "../../../fixtures/sim/gateway-life.js";
import { checkGateway, findGatewayProblems } from "./gateway-problems.js";

const REFUSED = { connected: false, code: "auth_failed", message: "MSGD_TOKEN is refused" } as const;

test("a platform whose token is refused is a failure of doctor, and what a start reports", async (t) => {
  const world = await lifeWorld(t, { script: [] });
  world.two.connects.push(REFUSED);
  await world.host().begin();
  const status = await world.api().status();
  assert.deepEqual(findGatewayProblems(status), ["msgd is not connected: auth_failed, MSGD_TOKEN is refused"]);
  const checks = checkGateway(status, ["msgt", "msgd"]);
  assert.deepEqual(
    checks.map((check) => [check.name, check.status]),
    [
      ["platform msgt", "ok"],
      ["platform msgd", "fail"],
    ],
  );
  assert.match(checks[1]?.detail ?? "", /^fatal: auth_failed, MSGD_TOKEN is refused$/);
  assert.match(checks[1]?.fix ?? "", /agent gateway status/);
});

test("a gateway without any connected platform is reported as degraded", async (t) => {
  const world = await lifeWorld(t, { script: [] });
  world.one.connects.push({ ...REFUSED, message: "MSGT_TOKEN is refused" });
  world.two.connects.push(REFUSED);
  await world.host().begin();
  const [first, ...others] = findGatewayProblems(await world.api().status());
  assert.equal(first, "the gateway is degraded: no platform is connected");
  assert.equal(others.length, 2);
});

test("a gateway that is not running is no failure, and doctor names the platforms that are set up", async (t) => {
  const world = await lifeWorld(t, { script: [] });
  await world.host().begin();
  await world.host().stop();
  const [check, ...more] = checkGateway(await world.api().status(), ["msgt"]);
  assert.deepEqual([check?.status, check?.detail, more], ["ok", "not running; configured: msgt", []]);
});
