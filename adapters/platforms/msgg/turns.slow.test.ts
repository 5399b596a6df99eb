import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { countingIds } from "../../../fixtures/ports/ids.js";
import { startMsgg } from "../../../fixtures/servers/msgg/server.js";
import { type ChatGatewayOptions, chatGateway } from "../../../fixtures/sim/chat-gateway.js";
import { msggEnv } from "../../../fixtures/worlds/msgg-world.js";
import { silentLog } from "../../../lib/base/log/log.js";
import { platformSettings } from "../../../lib/gateway/settings/platform-settings.js";
import { createNet } from "../../../lib/safety/net/net.js";
import { createMsgg } from "./platform.js";

const DM = { name: "spaces/A", spaceType: "DIRECT_MESSAGE" };
const said = (name: string, text = "ping", space: object = DM) => ({
  type: "MESSAGE",
  message: {
    name: `spaces/A/messages/${name}`,
    sender: { name: "users/1", email: "u@x.org", type: "HUMAN" },
    text,
    argumentText: text,
    thread: { name: `spaces/A/threads/of-${name}` },
  },
  space,
});

/** A real chat and model behind the adapter and its fake platform. */
async function chatting(t: TestContext, script: NonNullable<ChatGatewayOptions["script"]>, config = "") {
  const server = await startMsgg();
  const source = { env: msggEnv(server), raw: () => undefined };
  const world = await chatGateway(t, {
    tag: "msgg",
    script,
    config,
    env: { MSGG_ALLOWED_USERS: "u@x.org" },
    adapter: (inlet, clock) =>
      createMsgg({
        inlet,
        clock,
        net: createNet({ clock, allowPrivate: () => true }),
        log: silentLog,
        ids: countingIds(9),
        home: "/nowhere",
        settings: platformSettings("msgg", source),
        others: (prefix) => platformSettings(prefix, source),
      }),
  });
  t.after(() => server.close());
  return { ...world, server, shown: () => server.state.shown.map(({ text, before }) => [...before, text]) };
}

test("GW-100: a message is answered by a placeholder that becomes the answer, and acknowledged", async (t) => {
  const { server, shown } = await chatting(t, [{ text: "PONG" }]);
  server.pubsub.publish(said("m1"));
  await server.until(() => server.state.shown[0]?.text === "PONG");
  await server.pubsub.until(() => server.pubsub.acked().length === 1);
  const [[placeholder, answer] = [], ...more] = shown();
  assert.match(placeholder ?? "", /thinking/);
  assert.deepEqual([answer, more], ["PONG", []]);
  assert.deepEqual(
    server.of("update").map(({ query, body }) => [query, body]),
    [[{ updateMask: "text" }, { text: "PONG" }]],
  );
});

test("an answer that is shown while it is written takes the place of its placeholder", async (t) => {
  const text = `${"One word after the other. ".repeat(40)}END`;
  const { server, shown } = await chatting(t, [{ text, chunk: 60, rate: 24_000 }], "streaming:\n  enabled: true\n");
  server.pubsub.publish(said("m1"));
  await server.until(() => server.state.shown.some((one) => one.text === text));
  const [[placeholder] = [], ...more] = shown();
  assert.match(placeholder ?? "", /thinking/);
  assert.deepEqual(more, []);
});

test("a message that comes eight times is answered once", async (t) => {
  const { server, shown } = await chatting(t, [{ text: "PONG" }]);
  for (let count = 0; count < 8; count++) server.pubsub.publish(said("m1"));
  await server.pubsub.until(() => server.pubsub.acked().length === 8);
  await server.until(() => server.state.shown[0]?.text === "PONG");
  assert.equal(shown().length, 1);
});

test("an answer that was ready when the gateway had stopped takes the place of its placeholder with the next", async (t) => {
  const { server, shown, owner, restart } = await chatting(t, [{ text: "READY", hold: "model" }]);
  server.pubsub.publish(said("m1"));
  await owner.model.arrived(1);
  assert.equal(server.state.shown.length, 1);
  await restart(async () => {
    owner.model.release("model");
    const [session] = await owner.chat.list({});
    if (session !== undefined) await owner.chat.idle(session.id);
  });
  await server.until(() => server.state.shown[0]?.text === "READY");
  assert.equal(shown().length, 1);
});

test("a file of an answer goes out for who asked, who without a grant is told of /setup-files", async (t) => {
  let path = "";
  const { server, owner, shown } = await chatting(t, () => ({ text: `Here it is\nMEDIA:${path}` }));
  path = join(owner.work, "plot.png");
  writeFileSync(path, "png");
  server.pubsub.publish(said("m1"));
  await server.until(() => server.state.shown.length === 2);
  await server.until(() => server.state.shown[0]?.text === "Here it is");
  assert.match(shown()[1]?.[0] ?? "", /plot\.png.*\/setup-files/);
});

test("/stop ends the turn, and the placeholder says that it was interrupted", async (t) => {
  const { server, owner, shown } = await chatting(t, [{ text: "NEVER", hold: "never" }]);
  server.pubsub.publish(said("m1"));
  await owner.model.arrived(1);
  server.pubsub.publish(said("m2", "/stop"));
  await server.until(() => server.state.shown.some(({ text }) => text === "(interrupted)"));
  await server.until(() => server.state.shown.some(({ text }) => text.startsWith("⚡")));
  assert.equal(shown().length, 2);
});

test("GW-105: a stranger gets no address of /setup-files, a user does", async (t) => {
  const { server } = await chatting(t, []);
  const event = said("m1", "/setup-files start");
  server.pubsub.publish({
    ...event,
    message: { ...event.message, sender: { name: "users/2", email: "x@x.org", type: "HUMAN" } },
  });
  server.pubsub.publish(said("m2", "/setup-files"));
  await server.until(() => server.state.shown.length === 1);
  assert.match(server.state.shown[0]?.text ?? "", /agent gateway setup msgg --client-secret/);
});
