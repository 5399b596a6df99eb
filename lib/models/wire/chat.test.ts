import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import type { Reply } from "../../../fixtures/servers/model/script.js";
import { type ModelServerOptions, startModelServer } from "../../../fixtures/servers/model/server.js";
import { silentLog } from "../../base/log/log.js";
import type { ModelEvent, ModelRequest, Provider } from "../../contracts/models/model.js";
import { createNet } from "../../safety/net/net.js";
import { chatProvider } from "./chat.js";

const REQUEST: ModelRequest = {
  requestId: "r1",
  model: "m",
  messages: [{ role: "user", content: "go" }],
  tools: [{ name: "terminal", description: "run", parameters: { type: "object" } }],
};

test("an answer streams in pieces and ends with its whole text and usage", async (t) => {
  const { ask } = await setup(t, [{ text: "Hello, this is a longer answer in pieces.", reasoning: "hm" }]);
  const events = await ask();
  assert.ok(events.filter((event) => event.type === "text").length > 1);
  const last = events.at(-1);
  assert.ok(last?.type === "done");
  assert.equal(last.content, "Hello, this is a longer answer in pieces.");
  assert.equal(last.reasoning, "hm");
  assert.equal(last.finish, "stop");
  assert.deepEqual(last.usage, { input: 100, output: 20, cacheRead: 0, cacheWrite: 0, reasoning: 0 });
});

async function setup(t: TestContext, replies: readonly Reply[], more: ModelServerOptions = {}) {
  const server = await startModelServer({ script: { replies }, ...more });
  const clock = manualClock(); // no limit passes, however busy the machine is
  const net = createNet({ clock, allowPrivate: () => false });
  t.after(async () => {
    await net.close();
    await server.close();
  });
  const provider = chatProvider(
    { net, clock, log: silentLog },
    { id: "custom", baseUrl: server.url, timeouts: { connectMs: 2000, totalMs: 10_000, readMs: 2000 } },
  );
  return { server, provider, ask: (request: ModelRequest = REQUEST) => collect(provider, request) };
}

async function collect(
  provider: Provider,
  request: ModelRequest,
  signal = new AbortController().signal,
): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of provider.stream(request, signal)) events.push(event);
  return events;
}
