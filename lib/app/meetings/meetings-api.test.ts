import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { CLIENT, startMsgw } from "../../../fixtures/servers/msgw/server.js";
import { type ChatOwner, type ChatOwnerOptions, chatOwner } from "../../../fixtures/sim/chat-owner.js";
import { systemClock } from "../../base/time/clock.js";
import { createMeetingHost } from "./meeting-host.js";
import { meetingMethods } from "./meetings-api.js";

const ANSWER = JSON.stringify({ summary: "All is well.", decisions: ["Ship"], actions: [], risks: [] });
const signal = new AbortController().signal;
const MEETING = "users/u/onlineMeetings/m";

async function world(t: TestContext, more: Partial<ChatOwnerOptions> = {}) {
  const server = await startMsgw();
  const owner = await chatOwner(t, {
    script: { replies: [], auxiliary: [{ text: ANSWER }, { text: ANSWER }] },
    ...more,
    env: {
      MSGRAPH_WEBHOOK_ENABLED: "true",
      MSGRAPH_WEBHOOK_PORT: "0",
      MSGRAPH_WEBHOOK_CLIENT_STATE: "right",
      MSGRAPH_TENANT_ID: CLIENT.tenant,
      MSGRAPH_CLIENT_ID: CLIENT.id,
      MSGRAPH_CLIENT_SECRET: CLIENT.secret,
      MSGW_GRAPH_BASE: server.url,
      MSGW_LOGIN_BASE: server.url,
      MSGW_INCOMING_WEBHOOK_URL: `${server.url}/webhook/1`,
      ...more.env,
    },
  });
  t.after(() => server.close());
  return { server, owner, app: owner.app, api: meetingMethods(owner.app) };
}

async function listening({ app, onStop }: ChatOwner) {
  const host = createMeetingHost(app, await app.stores.state());
  await host.service.start();
  onStop(() => host.service.stop(0));
  return host;
}

test("a meeting that no one told of is fetched, summarised and delivered, and shown with what became of it", async (t) => {
  const { server, api } = await world(t);
  server.graph.set(MEETING, { id: "M", subject: "Weekly" });
  server.graph.set(`${MEETING}/transcripts`, { value: [{ id: "t", callId: "c" }] });
  server.graph.set(`${MEETING}/transcripts/t/content`, "WEBVTT hello");
  const job = await api.fetchMeeting(MEETING, { force: false, signal });
  assert.deepEqual(
    [job.state, job.title, job.summary?.summary, job.meeting],
    ["completed", "Weekly", "All is well.", "M#c"],
  );
  assert.deepEqual(await api.meeting(job.id), job);
  assert.deepEqual(
    (await api.meetings()).map(({ id }) => id),
    [job.id],
  );
  assert.equal((await api.fetchMeeting(MEETING, { force: false, signal })).state, "completed");
  assert.equal(server.posted.length, 1);
  assert.equal((await api.runMeeting(job.id, { force: true, signal })).state, "completed");
  assert.equal(server.posted.length, 2);
});

test("a meeting that has neither transcript nor recording waits, and says what for", async (t) => {
  const { server, api } = await world(t);
  server.graph.set(MEETING, { subject: "Weekly" });
  const job = await api.fetchMeeting(MEETING, { force: false, signal });
  assert.equal(job.state, "retry_scheduled");
  assert.match(job.error ?? "", /neither a transcript nor a recording/);
  assert.ok(job.next_at !== null);
});

test("without something that transcribes no recording is fetched; with it the recording is heard", async (t) => {
  const { server, app, api } = await world(t);
  server.graph.set(MEETING, { subject: "Weekly" });
  server.graph.set(`${MEETING}/recordings`, { value: [{ id: "r" }] });
  server.moved.set(`${MEETING}/recordings/r/content`, `${server.url}/v1.0/x/files`);
  server.graph.set("x/files", "sound");
  const first = await api.fetchMeeting(MEETING, { force: false, signal });
  assert.match(first.error ?? "", /no transcription configured/);
  const heard: string[] = [];
  Object.assign(app.options, {
    transcriber: {
      name: "ears",
      transcribe: async (path: string) => {
        heard.push(readFileSync(path, "utf8"));
        return "hello";
      },
    },
  });
  assert.equal((await api.runMeeting(first.id, { force: false, signal })).state, "completed");
  assert.deepEqual(heard, ["sound"]);
  assert.match(readdirSync(join(app.options.home.cache, "videos")).join(), /^in_meeting_[0-9a-f]+\.mp4$/);
});

test("subscriptions are made, listed with those of others, renewed, kept and deleted", async (t) => {
  const { server, owner, api } = await world(t);
  const wanted = { resource: "/communications/onlineMeetings/getAllTranscripts", change_type: "created", hours: 48 };
  await assert.rejects(api.subscribeMeetings(wanted, signal), /MSGRAPH_WEBHOOK_PUBLIC_URL|missing public URL/);
  const host = await listening(owner);
  const notification_url = `http://${host.listen()}/msgraph/webhook`;
  const made = await api.subscribeMeetings({ ...wanted, notification_url }, signal);
  assert.deepEqual(
    [made.resource, made.kept, made.at_graph],
    ["communications/onlineMeetings/getAllTranscripts", true, true],
  );
  const other = {
    id: "other",
    resource: "r",
    changeType: "updated",
    notificationUrl: "https://x.example",
    clientState: "",
  };
  server.subscriptions.set("other", {
    ...other,
    expirationDateTime: new Date(systemClock.now() + 3_600_000).toISOString(),
  });
  const { subscriptions, problem } = await api.subscriptions(signal);
  assert.equal(problem, null);
  assert.deepEqual(
    subscriptions.map(({ id, kept }) => [id, kept]),
    [
      [made.id, true],
      ["other", false],
    ],
  );
  assert.equal((await api.renewSubscription(made.id, signal)).action, "renewed");
  assert.deepEqual(
    (await api.maintainSubscriptions(signal)).map(({ action }) => action),
    ["kept"],
  );
  assert.deepEqual(await api.deleteSubscription(made.id, signal), { id: made.id });
  assert.deepEqual([...server.subscriptions.keys()], ["other"]);
  await assert.rejects(api.renewSubscription("nobody", signal), /no such subscription: nobody/);
});

test("the health of the token is what the graph says of it", async (t) => {
  const { server, api } = await world(t);
  assert.deepEqual(await api.tokenHealth(signal), {
    ok: true,
    source: "client_credentials",
    expires_at: null,
    roles: [],
    error: null,
  });
  server.always("token", { do: "answer", status: 401, body: { error: "invalid_client" } });
  server.forget();
  const bad = await api.tokenHealth(signal);
  assert.equal(bad.ok, false);
  assert.match(bad.error ?? "", /401/);
});

test("settings that miss something are reported one by one", async (t) => {
  const { api } = await world(t, {
    env: {
      MSGRAPH_WEBHOOK_PUBLIC_URL: "http://bot.example.org",
      MSGRAPH_CLIENT_SECRET: "",
      MSGW_DELIVERY_MODE: "mail",
    },
  });
  const failed = (await api.validateMeetings()).filter(({ ok }) => !ok);
  assert.deepEqual(
    failed.map(({ name }) => name),
    ["public_url", "graph", "delivery"],
  );
  assert.match(failed[2]?.message ?? "", /MSGW_DELIVERY_MODE/);
});

test("the settings are looked at without asking anyone", async (t) => {
  const { server, api } = await world(t);
  const before = server.calls.length;
  const failed = (await api.validateMeetings()).filter(({ ok }) => !ok).map(({ name }) => name);
  assert.deepEqual(failed, []);
  assert.equal(server.calls.length, before);
});

test("a gateway makes a subscription again as soon as the graph says that it dropped it", async (t) => {
  const { server, owner, api } = await world(t);
  const host = await listening(owner);
  const wanted = { resource: "communications/onlineMeetings/getAllTranscripts", change_type: "created", hours: 48 };
  const { id } = await api.subscribeMeetings(
    { ...wanted, notification_url: `http://${host.listen()}/msgraph/webhook` },
    signal,
  );
  const told = server.tell(id, { lifecycleEvent: "subscriptionRemoved" });
  server.subscriptions.delete(id);
  assert.equal(await told, 202);
  await server.until(() => server.subscriptions.size === 1);
  assert.deepEqual([...server.subscriptions.keys()], ["sub-2"]);
});
