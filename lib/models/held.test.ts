import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../base/clock.js";
import { silentLog } from "../base/log.js";
import { type Net, NetError, type NetRequest } from "../base/net.js";
import type { ModelEvent, ModelRequest, Provider } from "../proto/model.js";
import { offlineProvider } from "./offline/provider.js";
import { askModel } from "./retry.js";
import { chatProvider } from "./wire/chat.js";

const config = { id: "custom", baseUrl: "http://127.0.0.1:1/v1", timeouts: { connectMs: 500, totalMs: 10_000, readMs: 0, staleMs: 5_000 } };
const refused: ModelEvent["type"][] = ["failed"];

/** A network that keeps what leaves, and answers nothing. */
function keeping() {
  const sent: NetRequest[] = [];
  const net: Net = {
    fetch: async (request) => {
      sent.push(request);
      throw new NetError("blocked", "there is no network here");
    },
    rebuild: async () => undefined,
    close: async () => undefined,
  };
  return { sent, provider: chatProvider({ net, clock: systemClock, log: silentLog }, config) };
}

/** A request that looks when its messages are read. */
function requested(after: Promise<void>) {
  const made = { times: 0 };
  const request: ModelRequest = {
    ...{ requestId: "s:1:r1", model: "m", tools: [], after },
    get messages() {
      made.times += 1;
      return [{ role: "user", content: "go" }] as const;
    },
  };
  return { request, made };
}

async function typesOf(provider: Provider, request: ModelRequest): Promise<ModelEvent["type"][]> {
  const types: ModelEvent["type"][] = [];
  const options = { signal: new AbortController().signal, clock: systemClock, random: () => 0, attempts: 1 };
  for await (const event of askModel({ provider, model: "m", window: 1_000 }, request, options)) types.push(event.type);
  return types;
}

const tick = () => new Promise((resolve) => setImmediate(resolve));

test("a request that waits for the store is made meanwhile, and leaves when what it says is durable", async () => {
  const { sent, provider } = keeping();
  const durable = { is: false };
  const after = tick()
    .then(tick)
    .then(() => {
      assert.deepEqual([made.times > 0, sent.length], [true, 0]);
      durable.is = true;
    });
  const { request, made } = requested(after);
  assert.deepEqual(await typesOf(provider, request), refused);
  assert.deepEqual([durable.is, sent.length], [true, 1]);
  assert.match(String(sent[0]?.body), /"content":"go"/);
});

test("a request never leaves when what it says could not be stored", async () => {
  const { sent, provider } = keeping();
  const { request } = requested(tick().then(() => Promise.reject(new Error("the disk is full"))));
  assert.deepEqual(await typesOf(provider, request), refused);
  assert.equal(sent.length, 0);
});

test("a provider that does not hold a request back itself is asked when it may leave", async () => {
  const offline = offlineProvider(systemClock);
  const asked = { times: 0 };
  const stream: Provider["stream"] = (request, signal) => {
    asked.times += 1;
    return offline.stream(request, signal);
  };
  const after = tick()
    .then(tick)
    .then(() => assert.equal(asked.times, 0));
  const first = await typesOf({ ...offline, stream }, requested(after).request);
  assert.deepEqual([first.at(-1), asked.times], ["done", 1]);
  const never = tick().then(() => Promise.reject(new Error("the disk is full")));
  assert.deepEqual(await typesOf({ ...offline, stream }, requested(never).request), refused);
  assert.equal(asked.times, 1);
});
