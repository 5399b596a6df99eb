import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { startMsgt } from "../../../fixtures/servers/msgt/server.js";
import { quiet } from "../../../fixtures/sim/gateway-world.js";
import { msgtWorld, TOKEN } from "../../../fixtures/worlds/msgt-world.js";
import { silentLog } from "../../../lib/base/log/log.js";
import type { BatchAcceptance, Inlet } from "../../../lib/contracts/board/platform-tag.js";
import type { InboxTurnEnd } from "../../../lib/contracts/gateway/outbox.js";
import type { GatewayTurns } from "../../../lib/gateway/router/dispatch.js";
import { platformSettings } from "../../../lib/gateway/settings/platform-settings.js";
import { createHooks } from "../../../lib/http/hooks.js";
import { createNet } from "../../../lib/safety/net/net.js";
import { createMsgt } from "./platform.js";

const HI = {
  message: {
    message_id: 5,
    date: 0,
    chat: { id: 42, type: "private" },
    text: "hi",
    from: { id: 42, is_bot: false, first_name: "A" },
  },
};

/** An adapter alone, with an inlet of the test. */
async function alone(t: TestContext, acceptBatch: Inlet["acceptBatch"]) {
  const server = await startMsgt({ token: TOKEN });
  const clock = manualClock();
  const net = createNet({ clock, allowPrivate: () => true });
  const inlet: Inlet = {
    acceptBatch,
    accept: async () => "busy",
    cursor: async () => undefined,
    connected: async () => ({ first: true, at: clock.now() }),
  };
  const source = { env: { MSGT_BOT_TOKEN: TOKEN, MSGT_API_BASE: server.url }, raw: () => undefined };
  const others = (prefix: string) => platformSettings(prefix, source);
  const platform = createMsgt({
    settings: others("msgt"),
    others,
    inlet,
    net,
    clock,
    log: silentLog,
    hooks: createHooks({ clock, log: silentLog }),
  });
  let polled = 0;
  const reports = {
    lost: () => undefined,
    polled: () => {
      polled += 1;
    },
  };
  t.after(async () => {
    await platform.disconnect();
    await net.close();
    await server.close();
  });
  const connect = () => platform.connect(reports, new AbortController().signal);
  return { server, clock, platform, connect, polls: () => server.of("getUpdates").length, polled: () => polled };
}

/** Something to wait for. */
function gate<T>() {
  let open: (value: T) => void = () => undefined;
  const opened = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

test("nothing is confirmed to the platform before it is stored", async (t) => {
  const came = gate<void>();
  const stored = gate<BatchAcceptance>();
  const { server, connect, polls, polled } = await alone(t, (events) => {
    if (events.length > 0) came.open();
    return stored.opened;
  });
  server.update(HI);
  assert.deepEqual(await connect(), { connected: true, pollTimeoutMs: 30_000 });
  await came.opened;
  await quiet();
  assert.deepEqual([polls(), polled(), server.waiting().length], [1, 1, 1]);
  stored.open({ result: "stored", events: ["accepted"] });
  await server.until(() => server.waiting().length === 0);
});

test("an inbox that is full keeps the place, and the same events are asked for after five seconds", async (t) => {
  const answers: BatchAcceptance[] = [{ result: "busy" }, { result: "stored", events: ["accepted"] }];
  const asked = gate<void>();
  const { server, connect, polls, clock } = await alone(t, async () => {
    asked.open();
    return answers.shift() ?? { result: "stored", events: [] };
  });
  server.update(HI);
  await connect();
  await asked.opened;
  await quiet();
  clock.advance(4999);
  await quiet();
  assert.equal(polls(), 1);
  clock.advance(1);
  await server.until(() => polls() >= 3);
  assert.deepEqual(
    server.of("getUpdates").map(({ params }) => params["offset"]),
    [undefined, undefined, 2],
  );
});

test("an adapter that is let go while it polls leaves nothing behind, and can be connected again", async (t) => {
  const { server, connect, platform, polls } = await alone(t, async () => ({ result: "stored", events: [] }));
  await connect();
  await server.until(() => polls() === 1);
  await platform.disconnect();
  await platform.disconnect();
  await quiet();
  assert.equal(polls(), 1);
  assert.equal((await connect()).connected, true);
  await server.until(() => polls() === 2);
});

test("GW-40 a message is answered by one sendMessage, and the next poll confirms it", async (t) => {
  const answer = async (turn: string): Promise<InboxTurnEnd> => {
    const target = { platform: "msgt", account: "4711", chatId: "42", threadId: null, replyTo: null } as const;
    const payload = { text: "PONG", format: "markdown", silent: false } as const;
    return {
      state: "answered",
      reason: null,
      sends: [{ kind: "answer", target, payload, turn: { id: turn, seq: 0 } }],
    };
  };
  const turns: GatewayTurns = {
    name: () => "t1",
    run: answer,
    resume: (_, turn) => answer(turn),
    fate: async () => ({ was: "absent" }),
    failure: () => ({ state: "failed", reason: "broken", sends: [] }),
  };
  const { server, gateway, received, settled } = await msgtWorld(t, { turns });
  server.update(HI);
  const [row] = await received(1);
  await gateway.inbox.admit(row?.seq ?? 0, { sessionKey: "msgt/42", joins: false, quietMs: 0 });
  assert.equal((await settled())[0]?.state, "sent");
  assert.deepEqual(
    server.of("sendMessage").map(({ params }) => [params["chat_id"], params["text"]]),
    [["42", "PONG"]],
  );
  await server.until(() => server.of("getUpdates").some(({ params }) => params["offset"] === 2));
});
