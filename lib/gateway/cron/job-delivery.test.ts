import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { countingIds } from "../../../fixtures/ports/ids.js";
import { proves } from "../../../fixtures/requirements.js";
import { type CourierWorld, type CourierWorldOptions, courierWorld } from "../../../fixtures/sim/courier-world.js";
import { silentLog } from "../../base/log/log.js";
import { systemSpawner } from "../../base/process/spawn-system.js";
import type { CronApi, CronJob, NewJob } from "../../contracts/gateway/cron.js";
import { platformSettings } from "../settings/platform-settings.js";
import { createCron } from "./cron.js";
import { createDelivery, findUnreachable } from "./job-delivery.js";
import { createOutputs } from "./job-output.js";
import { createRunner } from "./job-runner.js";

interface World extends CourierWorld {
  readonly cron: CronApi;
  /** Make a job that answers this, run it once, and give it as it is then. */
  run(job: Partial<NewJob>, answer?: string): Promise<CronJob>;
  job(id: string): Promise<CronJob | undefined>;
}

async function world(t: TestContext, options: CourierWorldOptions = {}): Promise<World> {
  const base = await courierWorld(t, options);
  const { store, clock, courier, dir } = base;
  const { env = {} } = options;
  let answer = "";
  const runner = createRunner({
    clock,
    fresh: async () => undefined,
    wrap: () => true,
    redact: (text) => text,
    scripts: { folder: join(dir, "scripts"), spawner: systemSpawner, clock, env: () => ({}), timeoutMs: () => 1000 },
    outputs: createOutputs(join(dir, "output"), () => 50),
    ask: async () => ({ session: null, text: answer, failed: undefined }),
    deliver: createDelivery({
      courier: async () => courier,
      settings: (tag) => platformSettings(tag, { env, raw: () => undefined }),
      viewOf: () => undefined,
    }),
  });
  const checks = {
    script: async (path: string) => path,
    workdir: async (path: string) => path,
    unreachable: (job: Pick<CronJob, "deliver" | "origin">) => findUnreachable(courier, job),
    target: async (one: string) => void (one.includes(":") && (await courier.find(one))),
  };
  const { api: cron } = createCron({
    store,
    clock,
    ids: countingIds(5),
    log: silentLog,
    runner,
    checks,
    timezone: () => "UTC",
    maxParallel: () => 4,
    delivered: async () => undefined,
  });
  const job = async (id: string) => (await cron.list(true)).find((one) => one.id === id);
  return {
    ...base,
    cron,
    job,
    run: async (wanted, text = "done") => {
      answer = text;
      const made = await cron.create({ schedule: "every 1h", prompt: "look", name: "watch", ...wanted });
      await cron.run(made.job.id);
      const found = await job(made.job.id);
      assert.ok(found);
      return found;
    },
  };
}

const HOMES = { MSGT_HOME_CHANNEL: "1", MSGD_HOME_CHANNEL: "5" };

test("GW-135: a job that delivers to all is told in both home channels", async (t) => {
  proves(t, "cron.delivery");
  const { run, settled, platform, job } = await world(t, { env: HOMES });
  const { id } = await run({ deliver: "all" });
  await settled(2);
  const shown = (["msgt", "msgd"] as const).map((tag) =>
    platform(tag).ledger.map((one) => `${one.chat} ${one.text.split("\n")[0]}`),
  );
  assert.deepEqual(shown, [[`1 ⏰ watch (${id})`], [`5 ⏰ watch (${id})`]]);
  assert.equal((await job(id))?.last_delivery_status, "sent");
});

test("GW-137: a platform that is down at delivery gets the text once when it is back; the list shows pending, then sent", async (t) => {
  const { run, settled, platform, clock, job } = await world(t, { env: HOMES });
  platform("msgt").fate = () => "unsent";
  const made = await run({ deliver: "msgt" });
  assert.deepEqual([made.last_status, made.last_delivery_status], ["ok", "pending"]);
  await settled();
  platform("msgt").fate = () => "taken";
  assert.deepEqual((await job(made.id))?.last_delivery_status, "pending");
  clock.advance(30_000);
  await settled();
  const after = await job(made.id);
  assert.deepEqual(
    [after?.last_delivery_status, after?.last_delivery_error, platform("msgt").ledger.length],
    ["sent", null, 1],
  );
});

const THREADS: readonly (readonly [string, string])[] = [
  ["msgt", "1/3"],
  ["msgt:1:9", "1/9"],
  ["all", "1/3"],
  ["msgt:8", "8/null"],
];

for (const [deliver, place] of THREADS) {
  test(`GW-51: with home 1, home thread 2 and cron thread 3 the target ${deliver} is chat and thread ${place}`, async (t) => {
    proves(t, "msgt.cron-target");
    const env = { MSGT_HOME_CHANNEL: "1", MSGT_HOME_CHANNEL_THREAD_ID: "2", MSGT_CRON_THREAD_ID: "3" };
    const { run, store, settled } = await world(t, { env });
    await run({ deliver });
    await settled();
    const rows = await store.read((q) =>
      q.all<{ chat_id: string; thread_id: string | null }>("SELECT chat_id, thread_id FROM outbox"),
    );
    assert.deepEqual(
      rows.map((row) => `${row.chat_id}/${row.thread_id}`),
      [place],
    );
  });
}

test("GW-136: an answer whose first line is [SILENT] is delivered nowhere, and its delivery is none", async (t) => {
  const { run, gateway } = await world(t, { env: HOMES });
  const made = await run({ deliver: "msgt" }, "[SILENT]\nmore text");
  assert.deepEqual([made.last_status, made.last_delivery_status], ["silent", "none"]);
  assert.deepEqual(await gateway.outbox.list("pending", 9), []);
});

test("a target that is wrong keeps no other from being told, and is the error of the delivery", async (t) => {
  const { run, settled, platform, job } = await world(t, { env: { MSGT_HOME_CHANNEL: "1" } });
  const made = await run({ deliver: "msgd,msgt" });
  assert.match(made.last_delivery_error ?? "", /MSGD_HOME_CHANNEL/);
  await settled();
  assert.equal(platform("msgt").ledger.length, 1);
  assert.equal((await job(made.id))?.last_delivery_status, "sent");
});

test("targets that are the same chat get one message", async (t) => {
  const { run, settled, platform } = await world(t, { env: HOMES, aliases: { ops: "msgt:1" } });
  await run({ deliver: "msgt,msgt:ops,msgt:1,all" });
  await settled(2);
  assert.equal(platform("msgt").ledger.length, 1);
});

test("the chat that a job comes from is told; when its platform is gone, the first home channel is", async (t) => {
  const { run, settled, platform } = await world(t, { env: HOMES });
  await run({ origin: { platform: "msgt", chat_id: "77" } });
  await settled();
  assert.equal(platform("msgt").ledger[0]?.chat, "77");
  await run({ origin: { platform: "msgx", chat_id: "u" } });
  await settled();
  assert.equal(platform("msgd").ledger[0]?.chat, "5");
});

test("what was delivered is added to the conversation of its chat", async (t) => {
  const { run, settled, store, gateway, courier, mirrored } = await world(t, { env: HOMES });
  await store.write("t", async (tx) => {
    await tx.run(
      "INSERT INTO gateway_sessions (session_key, session_id, created_at, updated_at) VALUES ('k', 's1', 0, 0)",
    );
    await tx.run(
      "INSERT INTO gateway_chats (platform, account, chat_id, thread_id, chat_type, session_key, seen_at) VALUES ('msgt', 'bot', '1', '', 'dm', 'k', 0)",
    );
  });
  await run({ deliver: "msgt" }, "all is well");
  await settled();
  const [row] = await gateway.outbox.list("sent", 5);
  assert.ok(row);
  assert.equal(await courier.mirror.add(row), true);
  assert.equal(await courier.mirror.add(row), true);
  assert.deepEqual(
    [mirrored.length, mirrored[0]?.session, /all is well/.test(mirrored[0]?.text ?? "")],
    [1, "s1", true],
  );
});

test("a send that no one can tell of is shown as unknown at the job, and what an operator drops as failed", async (t) => {
  const { run, settled, platform, job, gateway } = await world(t, { env: HOMES });
  platform("msgt").fate = () => "cut-after";
  const { id } = await run({ deliver: "msgt" });
  await settled();
  assert.equal((await job(id))?.last_delivery_status, "unknown");
  const [row] = await gateway.outbox.list("unknown", 5);
  await gateway.outbox.drop(row?.id ?? "");
  assert.equal((await job(id))?.last_delivery_status, "failed");
});

test("a job whose output would arrive nowhere is made, with a warning that names the target and the remedy", async (t) => {
  const { cron } = await world(t);
  const warningsFor = async (deliver: string) =>
    (await cron.create({ schedule: "every 1h", prompt: "look", deliver })).warnings ?? [];
  assert.match(
    (await warningsFor("msgx")).join("\n"),
    /^cannot deliver output to msgx: msgx does not have a home channel: MSGX_HOME_CHANNEL/,
  );
  assert.match((await warningsFor("msgg:spaces/AAA")).join("\n"), /msgg is not configured; agent gateway setup msgg/);
  assert.deepEqual(await warningsFor("local"), []);
  const { job } = await cron.create({ schedule: "every 1h", prompt: "look", deliver: "local" });
  assert.equal((await cron.edit(job.id, { deliver: "local,msgx" })).warnings?.length, 1);
});
