import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { proves } from "../../../fixtures/requirements.js";
import { CLIENT, startMsgw } from "../../../fixtures/servers/msgw/server.js";
import type { MeetingSummary } from "../../../lib/contracts/gateway/meetings.js";
import { platformSettings } from "../../../lib/gateway/settings/platform-settings.js";
import { createNet } from "../../../lib/safety/net/net.js";
import { createGraph } from "./graph.js";
import { type GraphSources, readGraphSettings, readSink } from "./settings.js";
import { createSummaryDelivery } from "./summary.js";
import { summaryCard, summaryHtml } from "./words.js";

const SUMMARY: MeetingSummary = {
  meeting: "m1",
  title: "Weekly <sync>",
  summary: "All is well.",
  decisions: ["Ship & rest"],
  actions: ["Write", "Read"],
  risks: [],
};
const MARKDOWN =
  "**Weekly <sync>**\n\nSummary: All is well.\n\nKey decisions:\n- Ship & rest\n\nAction items:\n- Write\n- Read\n\nRisks:\n- None";
const HTML =
  "<h2>Weekly &lt;sync&gt;</h2><p>All is well.</p><h3>Key decisions</h3><ul><li>Ship &amp; rest</li></ul>" +
  "<h3>Action items</h3><ul><li>Write</li><li>Read</li></ul><h3>Risks</h3><ul><li>None</li></ul>";

const sourcesOf = (env: Readonly<Record<string, string>>): GraphSources => ({
  msgw: platformSettings("msgw", { env, raw: () => undefined }),
  msgraph: platformSettings("msgraph", { env, raw: () => undefined }),
  insecure: false,
});

async function world(t: TestContext, env: (url: string) => Readonly<Record<string, string>>) {
  const server = await startMsgw();
  const clock = manualClock();
  const net = createNet({ clock, allowPrivate: () => true });
  t.after(async () => {
    await net.close();
    await server.close();
  });
  const given = env(server.url);
  const sources = sourcesOf({
    MSGW_GRAPH_BASE: server.url,
    MSGW_LOGIN_BASE: server.url,
    MSGRAPH_TENANT_ID: CLIENT.tenant,
    MSGRAPH_CLIENT_ID: CLIENT.id,
    MSGRAPH_CLIENT_SECRET: CLIENT.secret,
    ...given,
  });
  const kept = new Map<string, "sending" | "sent" | undefined>();
  const graph = createGraph(readGraphSettings(sources), { net, clock });
  const delivery = createSummaryDelivery({
    net,
    clock,
    graph,
    sink: () => readSink(sources),
    records: {
      state: async (meeting, sink) => kept.get(`${meeting}/${sink}`),
      claim: async (meeting, sink) => {
        const before = kept.get(`${meeting}/${sink}`);
        if (before === undefined) kept.set(`${meeting}/${sink}`, "sending");
        return before;
      },
      note: async (meeting, sink, state) => void kept.set(`${meeting}/${sink}`, state),
    },
  });
  const deliver = (forceResend = false) =>
    delivery.deliver(SUMMARY, { forceResend, signal: new AbortController().signal });
  return { server, clock, kept, deliver };
}

const hook = (url: string) => ({
  MSGW_DELIVERY_MODE: "incoming_webhook",
  MSGW_INCOMING_WEBHOOK_URL: `${url}/webhook/secret-part`,
});

test("GW-112: a summary is one POST of Markdown with title, summary and three lists, of which an empty one says so", async (t) => {
  proves(t, "msgw.delivery", "webhook.payload-decided");
  const { server, deliver } = await world(t, hook);
  assert.deepEqual(await deliver(), { result: "sent" });
  assert.deepEqual(server.posted, [{ path: "/webhook/secret-part", body: { text: MARKDOWN } }]);
  assert.equal(server.of("token").length, 0);
});

test("a summary goes once to a sink, and again only when that is asked for", async (t) => {
  const { server, deliver } = await world(t, hook);
  await deliver();
  assert.deepEqual(await deliver(), { result: "already" });
  assert.deepEqual(await deliver(true), { result: "sent" });
  assert.equal(server.posted.length, 2);
});

test("a summary whose delivery broke off is unknown, and is not sent again by itself", async (t) => {
  const { server, deliver, kept } = await world(t, hook);
  server.next("webhook", { do: "drop", after: true });
  const first = await deliver();
  assert.equal(first.result, "unknown");
  assert.equal(JSON.stringify([first, [...kept.keys()]]).includes("secret-part"), false);
  assert.equal((await deliver()).result, "unknown");
  assert.equal(server.posted.length, 1);
});

test("a webhook that is busy is asked three times; one that refuses leaves the summary to be sent", async (t) => {
  const { server, deliver, clock } = await world(t, hook);
  server.next(
    "webhook",
    { do: "answer", status: 503, body: "" },
    { do: "answer", status: 429, body: "", headers: { "retry-after": "3" } },
  );
  const done = deliver();
  for (const ms of [500, 3000]) {
    await clock.waitsFor(ms);
    clock.advance(ms);
  }
  assert.deepEqual(await done, { result: "sent" });
  assert.equal(server.of("webhook").length, 3);
  server.next("webhook", { do: "answer", status: 400, body: "" });
  assert.equal((await deliver(true)).result, "refused");
  assert.deepEqual(await deliver(), { result: "sent" });
});

const PLACES: readonly (readonly [env: Record<string, string>, path: string])[] = [
  [{ MSGW_CHAT_ID: "19:c" }, "chats/19:c/messages"],
  [{ MSGW_TEAM_ID: "T", MSGW_CHANNEL_ID: "C", MSGW_DELIVERY_MODE: "graph" }, "teams/T/channels/C/messages"],
];

for (const [env, path] of PLACES) {
  test(`by the graph a summary is HTML at ${path}, with a token that is renewed once`, async (t) => {
    const { server, deliver } = await world(t, () => env);
    server.next("graph", { do: "answer", status: 401, body: "" });
    assert.deepEqual(await deliver(), { result: "sent" });
    assert.deepEqual(server.posted, [{ path, body: { body: { contentType: "html", content: HTML } } }]);
    assert.equal(server.of("token").length, 2);
  });
}

test("without a sink nothing is sent, and what cannot be meant is said", async (t) => {
  proves(t, "msgw.delivery");
  const { deliver } = await world(t, () => ({}));
  assert.deepEqual(await deliver(), { result: "off" });
  assert.throws(() => readSink(sourcesOf({ MSGW_DELIVERY_MODE: "mail" })), /MSGW_DELIVERY_MODE/);
  assert.throws(() => readSink(sourcesOf({ MSGW_DELIVERY_MODE: "graph" })), /MSGW_CHAT_ID/);
  assert.throws(() => readSink(sourcesOf({ MSGW_DELIVERY_MODE: "incoming_webhook" })), /MSGW_INCOMING_WEBHOOK_URL/);
  assert.throws(() => readSink(sourcesOf({ MSGW_INCOMING_WEBHOOK_URL: "http://example.org/x" })), /not encrypted/);
});

test("flows of the platform get a card with the same texts", () => {
  const sink = readSink(sourcesOf({ MSGW_INCOMING_WEBHOOK_URL: "https://x.logic.azure.com/workflows/1" }));
  assert.equal(sink.to === "webhook" && sink.cards, true);
  const card = JSON.stringify(summaryCard(SUMMARY));
  for (const words of [
    "Weekly <sync>",
    "Summary: All is well.",
    "Key decisions:",
    "- Ship & rest",
    "- None",
    '"1.4"',
  ]) {
    assert.ok(card.includes(words), words);
  }
  assert.equal(summaryHtml(SUMMARY), HTML);
});
