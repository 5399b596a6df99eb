import assert from "node:assert/strict";
import { test } from "node:test";
import { CLIENT, startMsgw } from "../../../fixtures/servers/msgw/server.js";
import { chatOwner } from "../../../fixtures/sim/chat-owner.js";
import { createMeetingHost } from "./meeting-host.js";

const ANSWER = JSON.stringify({ summary: "All is well.", decisions: ["Ship"], actions: [], risks: [] });

test("GW-112 GW-114: a notification with the right client state becomes one summary at the incoming webhook", async (t) => {
  const server = await startMsgw();
  const owner = await chatOwner(t, {
    script: { replies: [], auxiliary: [{ text: ANSWER }] },
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
    },
  });
  const { app } = owner;
  const host = createMeetingHost(app, await app.stores.state());
  await host.service.start();
  owner.onStop(() => host.service.stop(0));
  t.after(() => server.close());
  server.graph.set("users/u/onlineMeetings/m", { subject: "Weekly" });
  server.graph.set("users/u/onlineMeetings/m/transcripts/t/content", "WEBVTT hello");
  const post = (clientState: string) => {
    const resource = "users/u/onlineMeetings/m/transcripts/t";
    const body = JSON.stringify({
      value: [{ subscriptionId: "s", clientState, resource, changeType: "created", resourceData: { id: "t" } }],
    });
    return fetch(`http://${host.listen()}/msgraph/webhook`, { method: "POST", body });
  };
  assert.equal((await post("wrong")).status, 403);
  assert.equal((await post("right")).status, 202);
  assert.equal((await post("right")).status, 202);
  await server.until(() => server.posted.length === 1);
  const text =
    "**Weekly**\n\nSummary: All is well.\n\nKey decisions:\n- Ship\n\nAction items:\n- None\n\nRisks:\n- None";
  assert.deepEqual(server.posted, [{ path: "/webhook/1", body: { text } }]);
  assert.deepEqual(host.problems(), []);
});
