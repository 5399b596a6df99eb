import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Reply } from "../../../fixtures/servers/model/script.js";
import { startModelServer } from "../../../fixtures/servers/model/server.js";
import { chatWorld } from "../../../fixtures/sim/chat-world.js";
import { systemClock } from "../../base/time/clock.js";
import type { CronJob } from "../../contracts/gateway/cron.js";
import { createAsk } from "./job-conversation.js";

const JOB: CronJob = {
  id: "0123456789ab",
  name: "watch",
  prompt: "look",
  skills: [],
  model: null,
  provider: null,
  base_url: null,
  enabled_toolsets: null,
  workdir: null,
  script: null,
  no_agent: false,
  context_from: [],
  max_runtime_seconds: null,
  deliver: "local",
  origin: null,
  schedule: { kind: "interval", minutes: 5 },
  schedule_display: "every 5m",
  timezone: "UTC",
  catch_up: "skip",
  repeat: { times: null, completed: 0 },
  enabled: true,
  state: "running",
  paused_at: null,
  paused_reason: null,
  created_at: 0,
  next_run_at: 1,
  last_run_at: null,
  last_status: null,
  last_error: null,
  last_missed: 0,
  last_delivery_status: null,
  last_delivery_error: null,
};

async function setup(
  t: TestContext,
  reply: Reply,
  limits: { readonly deadline?: number; readonly idle?: number } = {},
) {
  const server = await startModelServer({
    models: ["m"],
    auxiliary: false,
    script: { pick: "history", replies: [reply] },
  });
  t.after(() => server.close());
  const world = await chatWorld(t, {
    config: `model: { provider: p, default: m }\nproviders:\n  p: { base_url: "${server.url}", api_mode: responses, context_length: 128000 }\n`,
  });
  const ask = createAsk({
    clock: systemClock,
    chat: world.chat,
    cwd: () => world.work,
    env: () => ({ PATH: process.env["PATH"] ?? "" }),
    deadlineMs: () => limits.deadline ?? 60_000,
    idleMs: () => limits.idle ?? 60_000,
  });
  return { server, world, ask };
}

test("each run is a new conversation of the source cron, with the name and time of its job, and without cronjob and clarify", async (t) => {
  const { server, world, ask } = await setup(t, { text: "all is well" });
  const first = await ask(JOB, "look", new AbortController().signal);
  const second = await ask({ ...JOB, name: "x".repeat(200) }, "look", new AbortController().signal);
  assert.deepEqual([first.text, first.failed, second.failed], ["all is well", undefined, undefined]);
  assert.notEqual(first.session, second.session);
  const [record] = (await world.chat.list({ source: "cron" })).filter(({ id }) => id === first.session);
  assert.match(record?.title ?? "", /^watch \d{4}-\d\d-\d\d \d\d:\d\d/);
  const tools = JSON.stringify(JSON.parse(server.chats()[0]?.raw ?? "{}").tools ?? []);
  assert.ok(tools.includes("terminal") && !tools.includes("cronjob") && !tools.includes("clarify"));
});

test("the run of a job that a chat had made works for that chat: it sees of other conversations what the chat may see", async (t) => {
  const { world, ask } = await setup(t, { text: "done" });
  const origin = { platform: "msgt", chat_id: "7", user_id: "7", chat_type: "dm" };
  const made: unknown[] = [];
  const { create } = world.chat;
  world.chat.create = (input) => {
    made.push(input.wantedBy);
    return create(input);
  };
  for (const job of [JOB, { ...JOB, origin }]) await ask(job, "look", new AbortController().signal);
  assert.deepEqual(made, [undefined, origin]);
});

const limits = [
  { what: "its deadline", limits: { deadline: 100 }, why: /^timed out after 0\.1 s$/ },
  {
    what: "the time in which nothing happens",
    limits: { idle: 100 },
    why: /^no activity for 0\.1 s$/,
  },
];

for (const { what, limits: given, why } of limits) {
  test(`a run whose model does not answer ends at ${what}, and says so`, async (t) => {
    const { ask } = await setup(t, { delay_ms: 700, text: "late" }, given);
    const { failed } = await ask(JOB, "look", new AbortController().signal);
    assert.match(failed ?? "", why);
  });
}

test("a run ends when the service stops", async (t) => {
  const { ask } = await setup(t, { delay_ms: 700, text: "late" });
  const control = new AbortController();
  const answer = ask(JOB, "look", control.signal);
  control.abort(new Error("stopped"));
  assert.equal((await answer).failed, "the service was stopped");
});
