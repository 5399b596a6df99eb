import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import OpenAI, { APIError, APIUserAbortError } from "openai";
import { valuesOf } from "../../fixtures/servers/upstream/server.js";
import { proxyWorld } from "../../fixtures/worlds/proxy-world.js";

const MESSAGES = [{ role: "user", content: "hello over there" }] as const;
const TOOL = {
  type: "function",
  function: { name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } } },
} as const;

test("the official client chats through the proxy, streamed and not", async (t) => {
  const { client } = await setup(t);
  const whole = await client.chat.completions.create({ model: "fake-1", messages: [...MESSAGES] });
  assert.equal(whole.choices[0]?.message.content, "echo: hello over there");
  let said = "";
  const stream = await client.chat.completions.create({ model: "fake-1", messages: [...MESSAGES], stream: true });
  for await (const chunk of stream) said += chunk.choices[0]?.delta.content ?? "";
  assert.equal(said, "echo: hello over there");
});

test("the official client gets calls of tools, streamed and not", async (t) => {
  const { client } = await setup(t);
  const asked = { model: "fake-1", messages: [...MESSAGES], tools: [TOOL] };
  const [call] = (await client.chat.completions.create(asked)).choices[0]?.message.tool_calls ?? [];
  assert.ok(call?.type === "function");
  assert.deepEqual([call.function.name, JSON.parse(call.function.arguments)], ["weather", { city: "Oslo" }]);
  const names: (string | undefined)[] = [];
  for await (const chunk of await client.chat.completions.create({ ...asked, stream: true }))
    names.push(...(chunk.choices[0]?.delta.tool_calls ?? []).map((one) => one.function?.name));
  assert.deepEqual(names, ["weather"]);
});

test("the official client completes, embeds and lists models", async (t) => {
  const { client } = await setup(t);
  const completion = await client.completions.create({ model: "fake-1", prompt: "once" });
  assert.equal(completion.choices[0]?.text, "echo: once");
  const { data } = await client.embeddings.create({ model: "fake-1", input: ["a", "four"] });
  assert.deepEqual(
    data.map(({ embedding }) => embedding),
    [
      [1, 0.5],
      [4, 0.5],
    ],
  );
  assert.deepEqual(
    (await client.models.list()).data.map(({ id }) => id),
    ["fake-1"],
  );
});

test("the official client sees errors of the provider and of the proxy as errors of an API", async (t) => {
  const { client } = await setup(t);
  const theirs = client.chat.completions.create({ model: "error:429", messages: [...MESSAGES] });
  await assert.rejects(
    theirs,
    (error: unknown) => error instanceof APIError && error.status === 429 && error.code === "test_refusal",
  );
  const ours = client.models.retrieve("fake-1");
  await assert.rejects(
    ours,
    (error: unknown) => error instanceof APIError && error.status === 404 && error.code === "path_not_allowed",
  );
});

test("the official client ends a stream, and with it the request upstream", async (t) => {
  const { client, upstream } = await setup(t);
  const event = (n: number) =>
    `data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"${n}"}}]}\n\n`;
  upstream.next({ do: "pieces", pieces: [event(1), event(2)] }, { do: "silent" });
  const stream = await client.chat.completions.create({ model: "fake-1", messages: [...MESSAGES], stream: true });
  for await (const chunk of stream) {
    assert.equal(chunk.choices[0]?.delta.content, "1");
    stream.controller.abort();
  }
  await upstream.dropped(1);
  const leaving = new AbortController();
  const silent = client.chat.completions.create(
    { model: "fake-1", messages: [...MESSAGES] },
    { signal: leaving.signal },
  );
  await upstream.arrived(2);
  leaving.abort();
  await assert.rejects(silent, APIUserAbortError);
  await upstream.dropped(2);
});

test("an answer that breaks off is an error for the official client, not the end of it", async (t) => {
  const { client, upstream } = await setup(t);
  const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
  const event = 'data: {"id":"c","choices":[{"index":0,"delta":{"content":"1"}}]}\n\n';
  upstream.next({ do: "raw", bytes: `${head}${event.length.toString(16)}\r\n${event}\r\n`, after: "end" });
  const stream = await client.chat.completions.create({ model: "fake-1", messages: [...MESSAGES], stream: true });
  await assert.rejects(async () => {
    for await (const chunk of stream) assert.equal(chunk.choices[0]?.delta.content, "1");
  });
});

test("neither the key nor a cookie of the official client reaches the provider", async (t) => {
  const { client, upstream } = await setup(t);
  await client.models.list({
    headers: { cookie: "my-own-cookie", "x-api-key": "my-own-key", "proxy-authorization": "my-own-proxy" },
  });
  assert.doesNotMatch(JSON.stringify(upstream.seen), /my-own/);
  assert.deepEqual(valuesOf(upstream.seen[0], "authorization"), ["Bearer bearer-1"]);
});

async function setup(t: TestContext) {
  const world = await proxyWorld(t);
  return { ...world, client: new OpenAI({ apiKey: "my-own-key", baseURL: world.url, maxRetries: 0 }) };
}
