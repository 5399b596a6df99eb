import assert from "node:assert/strict";
import { test } from "node:test";
import type {
  ChatMessage,
  ModelChoice,
  ModelEvent,
  ModelFailure,
  ModelRequest,
  Provider,
} from "../contracts/models/model.js";
import type { ImageData } from "../contracts/models/pictures.js";
import type { ProviderConfig } from "./core/define.js";
import type { ImageMode } from "./keys.js";
import { withPictures } from "./pictures.js";
import { repairedRequest, withoutRefused } from "./request-repairs.js";
import { seesPictures } from "./vision.js";
import { anthropicBody } from "./wire/anthropic-body.js";
import { chatBody } from "./wire/body.js";
import { responsesBody } from "./wire/responses-body.js";

const PNG = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.from("rest")]);
const FILES: Readonly<Record<string, Buffer>> = {
  "/p.png": PNG,
  "/text.png": Buffer.from("no picture"),
  "/j.png": Buffer.from("ffd8ffe0", "hex"),
};
const PROVIDER = { id: "p" } as unknown as Provider; // nothing of it is asked

const user = (content: string, ...paths: readonly string[]): ChatMessage => ({
  role: "user",
  content,
  ...(paths.length === 0 ? {} : { pictures: paths.map((path) => ({ path, name: path })) }),
});

const requestOf = (...messages: readonly ChatMessage[]): ModelRequest => ({
  requestId: "t:r1",
  model: "m",
  messages,
  tools: [],
  cacheKey: "c",
});

async function* nothing(): AsyncGenerator<ModelEvent> {
  yield* [];
}

/** What goes out of messages to a model. */
async function sent(
  model: string,
  mode: ImageMode,
  ...messages: readonly ChatMessage[]
): Promise<readonly (readonly ImageData[])[]> {
  let seen: readonly ChatMessage[] = [];
  const ask = withPictures(
    (_choice, request) => {
      seen = request.messages;
      return nothing();
    },
    {
      mode: () => mode,
      read: async (path, max) => ((FILES[path]?.length ?? max + 1) <= max ? FILES[path] : undefined),
    },
  );
  const choice: ModelChoice = { provider: PROVIDER, model, window: 1000 };
  for await (const _ of ask(choice, requestOf(...messages), new AbortController().signal));
  return seen.map((one) => (one.role === "user" ? (one.images ?? []) : []));
}

const SEEN: ImageData = { mime: "image/png", base64: PNG.toString("base64") };

const SIGHT: readonly (readonly [model: string, sees: boolean])[] = [
  ...(
    [
      "gpt-4o-mini",
      "openai/gpt-5.1",
      "anthropic/claude-sonnet-4.5",
      "claude-3-opus",
      "google/gemini-2.5-pro",
      "gemma3:12b",
    ] as const
  ).map((one) => [one, true] as const),
  ...(
    [
      "qwen/qwen2.5-vl-72b-instruct",
      "qwen3-vl:8b",
      "llama3.2-vision",
      "glm-4.5v",
      "grok-2-vision-1212",
      "pixtral-large",
    ] as const
  ).map((one) => [one, true] as const),
  ...(
    [
      "fake-1",
      "deepseek-chat",
      "o3-mini",
      "qwen3-coder",
      "llama3.1",
      "text-embedding-3-large",
      "glm-4.6",
      "mistral-large",
    ] as const
  ).map((one) => [one, false] as const),
];

for (const [model, sees] of SIGHT) {
  test(`${model} ${sees ? "sees" : "does not see"} pictures`, () => assert.equal(seesPictures(model), sees));
}

test("a picture goes to a model that sees, and to no other, unless the settings say so", async () => {
  const message = user("look", "/p.png");
  assert.deepEqual(await sent("gpt-4o", "auto", message), [[SEEN]]);
  assert.deepEqual(await sent("fake-1", "auto", message), [[]]);
  assert.deepEqual(await sent("fake-1", "native", message), [[SEEN]]);
  assert.deepEqual(await sent("gpt-4o", "text", message), [[]]);
});

test("what is gone, is too large or is no picture is left to the text; what is another kind of picture is called so", async () => {
  assert.deepEqual(await sent("gpt-4o", "auto", user("look", "/gone.png", "/text.png")), [[]]);
  const [[jpeg] = []] = await sent("gpt-4o", "auto", user("look", "/j.png"));
  assert.equal(jpeg?.mime, "image/jpeg");
});

test("of many pictures the newest are shown", async () => {
  const shown = await sent("gpt-4o", "auto", ...Array.from({ length: 20 }, () => user("look", "/p.png")));
  assert.deepEqual(
    shown.map((one) => one.length),
    [...Array(4).fill(0), ...Array(16).fill(1)],
  );
});

const CONFIG: ProviderConfig = {
  id: "custom",
  baseUrl: "http://127.0.0.1:1/v1",
  timeouts: { connectMs: 0, totalMs: 0, readMs: 0 },
};
const GIVEN = requestOf({ role: "user", content: "look", images: [SEEN] }, { role: "user", content: "closely" });
const URL_OF = `data:image/png;base64,${SEEN.base64}`;

const WIRES: readonly (readonly [name: string, content: () => unknown, expected: readonly object[]])[] = [
  [
    "chat completions",
    () => JSON.parse(chatBody(CONFIG, GIVEN, { streaming: true, usage: false })).messages[0].content,
    [
      { type: "image_url", image_url: { url: URL_OF } },
      { type: "text", text: "look\n\nclosely" },
    ],
  ],
  [
    "messages",
    () => JSON.parse(anthropicBody(CONFIG, GIVEN)).messages[0].content,
    [
      { type: "image", source: { type: "base64", media_type: "image/png", data: SEEN.base64 } },
      { type: "text", text: "look\n\nclosely" },
    ],
  ],
  [
    "responses",
    () => JSON.parse(responsesBody(CONFIG, GIVEN)).input[0].content,
    [
      { type: "input_image", image_url: URL_OF, detail: "auto" },
      { type: "input_text", text: "look\n\nclosely" },
    ],
  ],
];

for (const [name, content, expected] of WIRES) {
  test(`a picture stands before the words of its message on the wire of ${name}`, () =>
    assert.deepEqual(content(), expected));
}

test("a message without pictures is on the wire as it always was", () => {
  const plain = requestOf(user("hi", "/p.png"));
  assert.equal(JSON.parse(chatBody(CONFIG, plain, { streaming: true, usage: false })).messages[0].content, "hi");
});

const REFUSALS: readonly (readonly [ModelFailure["class"], string, boolean])[] = [
  ["image_too_large", "image exceeds 5 MB", true],
  ["format_error", "this model does not support image input", true],
  ["model_not_found", "No endpoints found that support image input", true],
  [
    "server_error",
    "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
    true,
  ],
  ["format_error", "temperature is out of range", false],
  ["rate_limit", "too many images per minute", false],
];

for (const [kind, message, repaired] of REFUSALS) {
  test(`"${message}" is ${repaired ? "answered by a request without pictures" : "not about pictures"}`, () => {
    const provider = { id: "own" } as unknown as Provider; // what it refused is remembered by it
    const failure: ModelFailure = { class: kind, message, retry: false };
    const next = repairedRequest(GIVEN, failure, { provider, done: new Set() });
    assert.equal(next?.messages.every((one) => one.role !== "user" || one.images === undefined) ?? false, repaired);
    const later = (requestId: string) =>
      withoutRefused(provider, { ...GIVEN, requestId }).messages.some(
        (one) => one.role === "user" && one.images !== undefined,
      );
    assert.equal(later("t:r2"), !repaired);
    assert.equal(later("t2:r1"), true);
  });
}

const RESULT: ChatMessage = {
  role: "tool",
  toolCallId: "c1",
  name: "look",
  content: "seen",
  images: [{ mime: "image/png", base64: "AAAA" }],
};
const CALLED: ChatMessage = {
  role: "assistant",
  content: "",
  toolCalls: [{ id: "c1", name: "look", arguments: "{}" }],
};

test("pictures of a result stand in it where the endpoint takes them, else in a message behind all results of the round", () => {
  const request = requestOf(CALLED, RESULT, user("and?"));
  const config = { id: "p", baseUrl: "http://127.0.0.1/v1" } as unknown as ProviderConfig; // nothing else of it is asked
  const as = { streaming: true, usage: true };
  const inside = JSON.parse(chatBody({ ...config, quirks: { result_images: true } }, request, as)).messages;
  assert.deepEqual(
    inside[1].content.map(({ type }: { type: string }) => type),
    ["image_url", "text"],
  );
  const behind = JSON.parse(chatBody(config, request, as)).messages;
  assert.deepEqual(
    behind.map(({ role }: { role: string }) => role),
    ["assistant", "tool", "user"],
  );
  assert.equal(behind[1].content, "seen");
  assert.match(
    JSON.stringify(behind[2].content),
    /data:image\/png;base64,AAAA.*\[Pictures of the results of look above, in their order\.\]\\n\\nand\?/,
  );
});
