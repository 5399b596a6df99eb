import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChatMessage, ModelRequest } from "../../contracts/models/model.js";
import type { ProviderConfig } from "../core/define.js";
import { chatBody, endpointUrl } from "./body.js";
import { prepareMessages } from "./messages.js";

const CALL = { id: "c1", name: "terminal", arguments: "{}" };
const RESULT: ChatMessage = { role: "tool", toolCallId: "c1", name: "terminal", content: "ok" };

const PREPARED: readonly (readonly [promise: string, given: readonly ChatMessage[], sent: readonly ChatMessage[]])[] = [
  ["texts are trimmed", [{ role: "user", content: " a \n" }], [{ role: "user", content: "a" }]],
  ["a result without a call is dropped", [{ role: "user", content: "a" }, RESULT], [{ role: "user", content: "a" }]],
  [
    "a call without a result gets one",
    [
      { role: "assistant", content: "", toolCalls: [CALL] },
      { role: "user", content: "go on" },
    ],
    [
      { role: "assistant", content: "", toolCalls: [CALL] },
      { ...RESULT, content: "[Result unavailable: see the context summary above]" },
      { role: "user", content: "go on" },
    ],
  ],
  [
    "an assistant message without text and calls is dropped and its neighbours are merged",
    [
      { role: "user", content: "a" },
      { role: "assistant", content: " ", reasoning: "hm" },
      { role: "user", content: "b" },
    ],
    [{ role: "user", content: "a\n\nb" }],
  ],
  [
    "arguments are sorted and compact",
    [
      { role: "assistant", content: "x", toolCalls: [{ ...CALL, arguments: '{ "b": 1, "a": [ {"z": 1, "y": 2} ] }' }] },
      RESULT,
    ],
    [{ role: "assistant", content: "x", toolCalls: [{ ...CALL, arguments: '{"a":[{"y":2,"z":1}],"b":1}' }] }, RESULT],
  ],
  [
    "damaged arguments become an empty object and their result says so",
    [{ role: "assistant", content: "x", toolCalls: [{ ...CALL, arguments: '{"a": ' }] }, RESULT],
    [
      { role: "assistant", content: "x", toolCalls: [CALL] },
      { ...RESULT, content: "[The arguments of this call were damaged and are shown as {}.]\nok" },
    ],
  ],
  [
    "results follow their calls in the order of the calls",
    [
      { role: "assistant", content: "x", toolCalls: [CALL, { ...CALL, id: "c2" }] },
      { ...RESULT, toolCallId: "c2", content: "two" },
      RESULT,
    ],
    [
      { role: "assistant", content: "x", toolCalls: [CALL, { ...CALL, id: "c2" }] },
      RESULT,
      { ...RESULT, toolCallId: "c2", content: "two" },
    ],
  ],
];

for (const [promise, given, sent] of PREPARED) {
  test(promise, () => {
    assert.deepEqual(prepareMessages(given), sent);
  });
}

test("preparing twice changes nothing", () => {
  for (const [, given] of PREPARED) assert.deepEqual(prepareMessages(prepareMessages(given)), prepareMessages(given));
});

const CAPS: readonly (readonly [
  promise: string,
  config: Partial<ProviderConfig>,
  request: Partial<ModelRequest>,
  cap: Record<string, number>,
])[] = [
  ["no cap is sent when none is set", {}, {}, {}],
  ["the configured cap is sent", { maxOutputTokens: 500 }, {}, { max_tokens: 500 }],
  ["the cap of the request wins", { maxOutputTokens: 500 }, { maxOutputTokens: 900 }, { max_tokens: 900 }],
  [
    "the cap stays below what the window leaves",
    {},
    { maxOutputTokens: 9000, window: 16_000, promptTokens: 15_000 },
    { max_tokens: 744 },
  ],
  [
    "a full window still asks for one token",
    {},
    { maxOutputTokens: 9000, window: 16_000, promptTokens: 20_000 },
    { max_tokens: 1 },
  ],
  [
    "the name of the cap follows the endpoint",
    { baseUrl: "https://api.openai.com/v1" },
    { maxOutputTokens: 9 },
    { max_completion_tokens: 9 },
  ],
  [
    "quirks win over the table",
    { quirks: { output_cap: "max_completion_tokens" } },
    { maxOutputTokens: 9 },
    { max_completion_tokens: 9 },
  ],
];

for (const [promise, config, request, cap] of CAPS) {
  test(promise, () => {
    const { max_tokens, max_completion_tokens } = bodyOf(config, request);
    assert.deepEqual(JSON.parse(JSON.stringify({ max_tokens, max_completion_tokens })), cap);
  });
}

test("endpoints that want reasoning back get it, with a space where there is none", () => {
  const messages: ChatMessage[] = [
    { role: "assistant", content: "a", reasoning: "because", toolCalls: [CALL] },
    RESULT,
    { role: "assistant", content: "b", toolCalls: [CALL] },
    RESULT,
  ];
  const sent = (baseUrl: string) =>
    bodyOf({ baseUrl }, { messages }).messages.map((message: Record<string, unknown>) => message["reasoning_content"]);
  assert.deepEqual(sent("https://api.deepseek.com"), ["because", undefined, " ", undefined]);
  assert.deepEqual(sent("http://127.0.0.1:9/v1"), [undefined, undefined, undefined, undefined]);
});

const MARKED: readonly (readonly [baseUrl: string, model: string, ttl: "5m" | "1h", mark: object | undefined])[] = [
  ["https://dashscope.aliyuncs.com/v1", "qwen3-max", "5m", { type: "ephemeral" }],
  ["https://dashscope.aliyuncs.com/v1", "qwen3-max", "1h", { type: "ephemeral", ttl: "1h" }],
  ["https://openrouter.ai/api/v1", "anthropic/claude-sonnet-4.5", "5m", { type: "ephemeral" }],
  ["https://openrouter.ai/api/v1", "openai/gpt-5", "5m", undefined],
  ["http://127.0.0.1:9/v1", "qwen3", "5m", undefined],
];

for (const [baseUrl, model, cacheTtl, mark] of MARKED) {
  test(`${new URL(baseUrl).host} with ${model} gets ${mark === undefined ? "no cache marks" : `marks of ${cacheTtl}`}`, () => {
    const messages: ChatMessage[] = [
      { role: "system", content: "be brief" },
      { role: "user", content: "one" },
      { role: "assistant", content: "two" },
      { role: "user", content: "three" },
      { role: "assistant", content: "", toolCalls: [CALL] },
      RESULT,
      { role: "assistant", content: "four" },
    ];
    const { messages: sent } = bodyOf({ baseUrl, cacheTtl }, { model, messages });
    const marks = sent.map(({ content }: { readonly content: unknown }) =>
      Array.isArray(content) ? content.map((part: Record<string, unknown>) => part["cache_control"]) : [],
    );
    const one = mark === undefined ? [] : [mark];
    assert.deepEqual(marks, [one, [], one, one, [], [], one]);
  });
}

test("the query of the base URL is kept", () => {
  assert.equal(
    endpointUrl("https://h.test/v1/?api-version=3", "chat/completions"),
    "https://h.test/v1/chat/completions?api-version=3",
  );
  assert.equal(endpointUrl("http://h.test", "models"), "http://h.test/models");
});

function bodyOf(config: Partial<ProviderConfig>, request: Partial<ModelRequest>) {
  const whole: ProviderConfig = {
    id: "custom",
    baseUrl: "http://h.test/v1",
    timeouts: { connectMs: 0, totalMs: 0, readMs: 0 },
    ...config,
  };
  return JSON.parse(
    chatBody(
      whole,
      { requestId: "r", model: "m", messages: [], tools: [], ...request },
      { streaming: true, usage: true },
    ),
  );
}
