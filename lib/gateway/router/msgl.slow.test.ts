import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import { PERSON } from "../../../fixtures/servers/msgl/server.js";
import type { ChatGatewayOptions } from "../../../fixtures/sim/chat-gateway.js";
import { type MsglChat, msglChat } from "../../../fixtures/worlds/msgl-chat.js";

const shown = (world: MsglChat, count: number) => world.server.until(() => world.server.shown.length >= count);
const HELD = [{ text: "PONG", hold: "go" }] as const;
const SECOND = { MSGL_SLOW_RESPONSE_THRESHOLD: "1" };

/** Data of the last button that was shown. */
function button({ server }: MsglChat): string {
  const template = server.shown.findLast(({ message }) => message["type"] === "template")?.message["template"];
  return (template as { readonly actions: readonly { readonly data: string }[] }).actions[0]?.data ?? ""; // what a template is
}
const press = (world: MsglChat, data: string, more: object = {}) =>
  world.server.deliver(world.server.event({ type: "postback", postback: { data }, ...more }));

/** A chat whose turn is held until its button is shown. */
async function slow(t: TestContext, options: Partial<ChatGatewayOptions> = {}) {
  const world = await msglChat(t, { script: HELD, ...options, env: { ...SECOND, ...options.env } });
  await world.server.deliver(world.server.text("ping"));
  await world.owner.model.arrived(1);
  world.clock.advance(1000);
  await shown(world, 1);
  return world;
}

/** The turn of the first message has ended. */
async function answered({ built, owner }: MsglChat): Promise<void> {
  owner.model.release("go");
  const { inbox } = built().gateway;
  while ((await inbox.running()).length > 0) await new Promise<void>((resolve) => void setImmediate(resolve));
}

test("GW-70 a text is answered by one reply with its token; a person sees that it is worked on, a group does not", async (t) => {
  const world = await msglChat(t, { script: [{ text: "PONG" }, { text: "PONG" }], env: { MSGL_ALLOWED_GROUPS: "C1" } });
  await world.server.deliver(world.server.text("ping", { token: "r1" }));
  await shown(world, 1);
  await world.server.deliver(world.server.text("ping", { group: "C1", token: "r2" }));
  await shown(world, 2);
  const messages = [{ type: "text", text: "PONG" }];
  assert.deepEqual(
    world.server.of("reply").map(({ body }) => body),
    [
      { replyToken: "r1", messages },
      { replyToken: "r2", messages },
    ],
  );
  assert.deepEqual(
    world.server.of("loading").map(({ body }) => body),
    [{ chatId: PERSON, loadingSeconds: 60 }],
  );
});

test("GW-75 a slow answer waits behind a button, and its press brings it once", async (t) => {
  proves(t, "msgl.slow-answer.states");
  const world = await slow(t);
  assert.deepEqual(
    [world.calls(), world.seen()],
    [["reply 200"], ["Still working on it. Tap below to get the answer."]],
  );
  const data = button(world);
  await press(world, data);
  await shown(world, 2);
  assert.equal(button(world), data);
  await answered(world);
  assert.deepEqual(world.calls(), ["reply 200", "reply 200"]);
  await press(world, data);
  await shown(world, 3);
  await press(world, data);
  await shown(world, 4);
  assert.deepEqual(world.seen().slice(2), ["PONG", "This answer was already sent."]);
  assert.deepEqual(world.calls(), ["reply 200", "reply 200", "reply 200", "reply 200"]);
});

test("GW-76 an answer that is ready waits over a restart", async (t) => {
  const world = await slow(t);
  await answered(world);
  await world.restart();
  await world.listens();
  await press(world, button(world));
  await shown(world, 2);
  assert.deepEqual(world.seen().slice(1), ["PONG"]);
});

test("GW-77 without a button a slow answer is pushed when its token has ended", async (t) => {
  proves(t, "msgl.limit.slow-answer");
  const world = await msglChat(t, { script: HELD, env: { MSGL_SLOW_RESPONSE_THRESHOLD: "0" } });
  await world.server.deliver(world.server.text("ping"));
  await world.owner.model.arrived(1);
  world.clock.advance(60_000);
  world.owner.model.release("go");
  await shown(world, 1);
  assert.deepEqual([world.calls(), world.seen()], [["push 200"], ["PONG"]]);
});

test("GW-78 five tool calls show nothing before the answer", async (t) => {
  const calls = Array.from({ length: 5 }, () => ({ tool_calls: [{ name: "todo", arguments: {} }] }));
  const world = await msglChat(t, { script: [...calls, { text: "done" }] });
  await world.server.deliver(world.server.text("ping"));
  await shown(world, 1);
  assert.deepEqual([world.calls(), world.seen()], [["reply 200"], ["done"]]);
});

test("a button of another person, of another chat, or of nothing is passed over", async (t) => {
  const world = await slow(t);
  await answered(world);
  const data = button(world);
  await press(world, data, { source: { type: "user", userId: "Ub2" } });
  await press(world, '{"action":"show_response","request_id":"00000000-0000-4000-8000-000000000000"}');
  await press(world, "no json");
  await press(world, data);
  await shown(world, 2);
  assert.deepEqual(world.seen().slice(1), ["PONG"]);
});

test("a turn that is stopped says so to anyone who presses its button", async (t) => {
  proves(t, "msgl.slow-answer.cancelled");
  const world = await slow(t);
  await world.server.deliver(world.server.text("/stop"));
  await shown(world, 2);
  await answered(world);
  await press(world, button(world));
  await shown(world, 3);
  assert.equal(world.seen().at(-1), "This run was interrupted.");
});

test("a button that could not be shown keeps no answer back", async (t) => {
  const world = await msglChat(t, { script: HELD, env: SECOND });
  await world.server.deliver(world.server.text("ping"));
  await world.owner.model.arrived(1);
  for (const what of ["reply", "push"])
    world.server.next(what, { do: "answer", status: 400, body: { message: "The template is invalid" } });
  world.clock.advance(1000);
  await world.server.until(() => world.server.of("push").length === 1);
  await answered(world);
  await shown(world, 1);
  assert.deepEqual([world.calls(), world.seen()], [["reply 400", "push 400", "push 200"], ["PONG"]]);
});
