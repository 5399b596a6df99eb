import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { comparedWith } from "../../../fixtures/hostile/compared.js";
import { assertWithstood, runHostile, runOracle } from "../../../fixtures/hostile/run.js";
import { type HostileTarget, inBody } from "../../../fixtures/hostile/target.js";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { silentLog } from "../../base/log/log.js";
import { createHooks } from "../../http/hooks.js";
import { type Notification, notificationRoutes } from "./graph-notifications.js";

const STATE = "a state of the subscriptions";
const item = (id: string) => ({
  subscriptionId: "s1",
  resource: "communications/m1",
  changeType: "created",
  resourceData: { id },
});

async function target(t: TestContext) {
  const taken: Notification[] = [];
  const routes = notificationRoutes({
    clientState: () => STATE,
    cidrs: () => [],
    log: silentLog,
    lifecycle: async () => "stored" as const,
    take: async (found) => {
      taken.push(...found);
      return "stored";
    },
  });
  const place = { owner: "msgraph", host: "127.0.0.1", port: 0, portSetting: "MSGRAPH_WEBHOOK_PORT", routes };
  const listener = await createHooks({ clock: manualClock(), log: silentLog })(place);
  assert.ok("close" in listener);
  t.after(() => listener.close());
  const hostile: HostileTarget = {
    port: listener.port,
    path: "/msgraph/webhook",
    good: Buffer.from(JSON.stringify({ value: [item("forged")] })),
    carry: inBody((proof, body) => body.replace('"subscriptionId"', () => `"clientState":${proof},"subscriptionId"`)),
    sign: () => STATE,
    foreign: () => "another",
  };
  /** Nothing came in, and what is right still does. */
  const goesOn = async () => {
    assert.deepEqual(taken, []);
    const body = JSON.stringify({ value: [{ ...item("right"), clientState: STATE }] });
    assert.equal((await fetch(`http://${listener.address}/msgraph/webhook`, { method: "POST", body })).status, 202);
    assert.equal(taken.length, 1);
  };
  return { hostile, goesOn };
}

test("two hundred hostile posts to the listener of notifications: none is let in, none breaks anything, and it goes on", async (t) => {
  const { hostile, goesOn } = await target(t);
  assertWithstood(await runHostile(hostile));
  await goesOn();
});

test("a client state that is almost right is refused, whatever of it is wrong, by a comparison of digests", async (t) => {
  const { hostile, goesOn } = await target(t);
  assertWithstood(await runOracle(hostile), 100);
  assert.equal(await comparedWith(t, hostile, "almost"), true);
  await goesOn();
});
