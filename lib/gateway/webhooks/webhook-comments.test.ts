import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { WEBHOOK_SECRET, webhookWorld } from "../../../fixtures/worlds/webhook-world.js";
import { claimDelivery } from "../../../storage/tables/gateway/webhooks.js";
import { webhookMethods } from "../../app/gateway/webhooks-api.js";

const EXTRA = { repo: "{repository.full_name}", pr_number: "{number}" };
const PULL = { number: 7, repository: { full_name: "own/er" } };

/** A folder with a `gh` that writes down what it was asked; it ends with `exit`. */
function withTool(t: TestContext, exit = 0) {
  const dir = mkdtempSync(join(tmpdir(), "gh-"));
  t.after(() => rmSync(dir, { recursive: true }));
  const asked = join(dir, "asked");
  writeFileSync(join(dir, "gh"), `#!/bin/sh\necho "$@" >> ${asked}\ncat >> ${asked}\necho failed >&2\nexit ${exit}\n`);
  chmodSync(join(dir, "gh"), 0o755);
  return { env: { PATH: `${dir}:${process.env["PATH"] ?? ""}` }, asked: () => readFileSync(asked, "utf8") };
}

async function commenting(t: TestContext, only: boolean, tool: ReturnType<typeof withTool>) {
  const world = await webhookWorld(t, { script: [{ text: "looks **good**" }], env: tool.env });
  await webhookMethods(world.owner.app, world).subscribeWebhook({
    name: "pr",
    deliver: "github_comment",
    deliver_extra: EXTRA,
    deliver_only: only,
    force: false,
    prompt: "Number {number}",
    secret: WEBHOOK_SECRET,
  });
  return world;
}

test("the answer of a turn becomes a comment of the pull request that the event names", async (t) => {
  const tool = withTool(t);
  const world = await commenting(t, false, tool);
  assert.equal((await world.post("pr", PULL)).status, 202);
  const { inbox } = world.built().gateway;
  while ((await inbox.open(0, 5)).length > 0) await new Promise<void>((resolve) => void setImmediate(resolve));
  assert.equal(tool.asked(), "pr comment 7 --repo own/er --body-file -\nlooks **good**");
});

test("a comment without a model is posted before the answer, once, and a failure is reported", async (t) => {
  const tool = withTool(t);
  const world = await commenting(t, true, tool);
  const id = { headers: { "x-request-id": "d1" } };
  const { status, json } = await world.post("pr", PULL, id);
  assert.deepEqual([status, json["target"]], [200, "github_comment:own/er#7"]);
  assert.equal((await world.post("pr", PULL, id)).json["status"], "duplicate");
  assert.equal(tool.asked(), "pr comment 7 --repo own/er --body-file -\nNumber 7");
  const broken = await commenting(t, true, withTool(t, 1));
  assert.equal((await broken.post("pr", PULL)).status, 502);
});

const HOSTILE = [
  { number: "7 --repo other/one" },
  { number: 7, repository: { full_name: "--help" } },
  { number: 7, repository: { full_name: "a/b/../c" } },
  {},
];

for (const payload of HOSTILE) {
  test(`a payload does not decide what the tool is asked for: ${JSON.stringify(payload)}`, async (t) => {
    const tool = withTool(t);
    const world = await commenting(t, true, tool);
    assert.equal((await world.post("pr", payload)).status, 502);
    assert.throws(tool.asked);
  });
}

test("a delivery that was noted when the process ended, and not stored, is taken when it comes again", async (t) => {
  const world = await webhookWorld(t, { script: [{ text: "ok" }] });
  const { app } = world.owner;
  await webhookMethods(app, world).subscribeWebhook({
    name: "ci",
    deliver: "msgt",
    deliver_extra: {},
    deliver_only: false,
    force: false,
    secret: WEBHOOK_SECRET,
  });
  const store = await app.stores.state();
  const now = app.options.clock.now();
  await store.write("test", (tx) => claimDelivery(tx, { route: "ci", id: "d1", now, since: 0 }));
  await world.restart();
  const id = { headers: { "x-request-id": "d1" } };
  assert.equal((await world.post("ci", {}, id)).status, 202);
  assert.equal((await world.post("ci", {}, id)).json["status"], "duplicate");
  assert.equal((await world.shown(1)).length, 1);
});
