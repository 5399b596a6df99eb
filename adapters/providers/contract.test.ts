import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { startModelServer } from "../../fixtures/servers/model/server.js";
import { silentLog } from "../../lib/base/log/log.js";
import type { ModelEvent, ModelRequest, Provider } from "../../lib/contracts/models/model.js";
import type { ProviderDefinition } from "../../lib/models/core/define.js";
import { createNet } from "../../lib/safety/net/net.js";
import { PROVIDERS } from "./index.gen.js";

/** What every provider must do, whatever its protocol. */
const CASES: readonly (readonly [promise: string, run: (provider: Provider) => Promise<void>])[] = [
  [
    "an answer ends with exactly one done, whose content is the text that streamed",
    async (provider) => {
      const events = await collect(provider, ask("hello"));
      assert.equal(events.filter((event) => event.type === "done" || event.type === "failed").length, 1);
      const last = events.at(-1);
      assert.ok(last?.type === "done");
      const streamed = events.map((event) => (event.type === "text" ? event.text : "")).join("");
      assert.equal(last.content, streamed.trim());
      assert.ok(last.content.length > 0 && last.model.length > 0);
    },
  ],
  [
    "the same request gives the same answer",
    async (provider) => {
      const texts = (await Promise.all([collect(provider, ask("hello")), collect(provider, ask("hello"))])).map(
        (events) => events.at(-1),
      );
      assert.deepEqual(texts[0]?.type === "done" && texts[0].content, texts[1]?.type === "done" && texts[1].content);
    },
  ],
  [
    "an abort ends the stream with class aborted before any text of it",
    async (provider) => {
      const control = new AbortController();
      control.abort();
      const events = await collect(provider, ask("count to 20000"), control.signal);
      const last = events.at(-1);
      assert.ok(last?.type === "failed" && last.failure.class === "aborted" && !last.failure.retry);
      assert.ok(events.every((event) => event.type !== "text"));
    },
  ],
  [
    "models are listed",
    async (provider) => {
      const ids = await provider.models(new AbortController().signal);
      assert.ok(ids.length > 0 && ids.every((id) => id !== ""));
    },
  ],
  [
    "a reader who leaves early leaves nothing behind",
    async (provider) => {
      for await (const event of provider.stream(ask("hello"), new AbortController().signal)) {
        assert.ok(event.type !== "failed");
        break;
      }
    },
  ],
];

for (const entry of PROVIDERS) {
  for (const [promise, run] of CASES) {
    test(`${entry.id}: ${promise}`, async (t) => {
      const definition: ProviderDefinition = await entry.load();
      assert.equal(definition.id, entry.id);
      await run(await setup(t, definition));
    });
  }
}

async function setup(t: TestContext, definition: ProviderDefinition): Promise<Provider> {
  const server = await startModelServer();
  const clock = manualClock(); // no limit passes, however busy the machine is
  const net = createNet({ clock, allowPrivate: () => false });
  t.after(async () => {
    await net.close();
    await server.close();
  });
  const timeouts = { connectMs: 1000, totalMs: 5000, readMs: 0 };
  return definition.create({ net, clock, log: silentLog }, { id: definition.id, baseUrl: server.url, timeouts });
}

function ask(content: string): ModelRequest {
  const tools = [{ name: "read_file", description: "", parameters: { type: "object" } }];
  return { requestId: "r", model: "m", messages: [{ role: "user", content }], tools };
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
