import assert from "node:assert/strict";
import { test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import { WEBHOOK_SECRET, webhookWorld } from "../../../fixtures/worlds/webhook-world.js";
import type { Net, NetRequest } from "../../base/net/net.js";

const route = (name: string, more: string) => `    ${name}: {secret: '${WEBHOOK_SECRET}', ${more}}\n`;
const configOf = (...routes: readonly string[]) => `webhooks:\n  routes:\n${routes.join("")}`;

/** Every address that is asked from now on. */
function addresses(net: Net): readonly string[] {
  const asked: string[] = [];
  const { fetch } = net;
  Object.assign(net, {
    fetch: (request: NetRequest) => {
      asked.push(request.url);
      return fetch(request);
    },
  });
  return asked;
}

test("what comes in by a webhook leaves as messages of platforms alone: whatever addresses it names, none is asked but the model's", async (t) => {
  proves(t, "webhook.payload-decided");
  const config = configOf(
    route("turn", "deliver: msgt, prompt: 'Look at {callback_url}'"),
    route("only", "deliver: msgt, deliver_only: true, prompt: '{text} {response_url}'"),
    route("logged", "deliver: log"),
  );
  const world = await webhookWorld(t, { config, script: [{ text: "looked" }, { text: "logged" }] });
  const asked = addresses(world.owner.app.options.net);
  const body = {
    text: "x",
    callback_url: "http://127.0.0.1:9/back",
    response_url: "http://127.0.0.1:9/respond",
    hook: { url: "http://127.0.0.1:9/hook", deliveries_url: "http://127.0.0.1:9/deliveries" },
  };
  assert.equal((await world.post("turn", body)).status, 202);
  const shown = async (count: number) => (await world.shown(count)).map(({ text }) => text);
  assert.deepEqual(await shown(1), ["looked"]);
  assert.equal((await world.post("only", body)).status, 200);
  assert.equal((await world.post("logged", body)).status, 202);
  world.platform.fate = () => "refused";
  assert.equal((await world.post("only", { ...body, text: "y" })).status, 502);
  assert.deepEqual(await shown(2), ["looked", "x http://127.0.0.1:9/respond"]);
  assert.deepEqual([asked.length > 0, asked.filter((url) => !url.startsWith(world.owner.model.url))], [true, []]);
});

test("a route that names several chats delivers to none of them, and its sender is told", async (t) => {
  const config = configOf(
    route("list", "deliver: 'msgt:1,msgt:2', deliver_only: true, prompt: x"),
    route("turn", "deliver: 'msgt:1,msgt:2', prompt: x"),
  );
  const world = await webhookWorld(t, { config, script: [{ text: "looked" }, { text: "PONG" }] });
  assert.equal((await world.post("list", {})).status, 502);
  assert.equal((await world.post("turn", {})).status, 202);
  while (world.owner.model.requests.length < 1) await new Promise((resolve) => setImmediate(resolve));
  await world.say("1", "ping");
  assert.deepEqual(
    (await world.shown(1)).map(({ text }) => text),
    ["PONG"],
  );
});
