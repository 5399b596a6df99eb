import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModelRequest, ReasoningEffort } from "../../contracts/models/model.js";
import type { ProviderConfig } from "../core/define.js";
import { anthropicBody, betasOf } from "./anthropic-body.js";
import { createAssembler } from "./assemble.js";
import { chatBody } from "./body.js";
import { responsesBody } from "./responses-body.js";

const CONFIG: ProviderConfig = {
  id: "p",
  baseUrl: "http://127.0.0.1:9/v1",
  timeouts: { connectMs: 0, totalMs: 0, readMs: 0 },
};
const FORM = { streaming: true, usage: true };

function asked(model: string, effort?: ReasoningEffort, more: Partial<ModelRequest> = {}): ModelRequest {
  const messages = [{ role: "user", content: "hi" }] as const;
  return {
    requestId: "r",
    model,
    messages,
    tools: [],
    window: 200_000,
    promptTokens: 10,
    ...(effort ? { effort } : {}),
    ...more,
  };
}

type Json = Readonly<Record<string, unknown>>;
const parsed = (text: string): Json => JSON.parse(text) as Json;

const CHAT: readonly (readonly [quirks: Json, effort: ReasoningEffort | undefined, expected: Json])[] = [
  [{ reasoning: "reasoning" }, "high", { reasoning: { enabled: true, effort: "high" } }],
  [{ reasoning: "reasoning" }, "none", { reasoning: { enabled: false } }],
  [{ reasoning: "reasoning_effort" }, "low", { reasoning_effort: "low" }],
  [{ reasoning: "thinking" }, "medium", { thinking: { type: "enabled" } }],
  [{ reasoning: "thinking" }, "none", { thinking: { type: "disabled" } }],
  [{ reasoning: "thinking_config" }, "high", { thinking_config: { include_thoughts: true, thinking_level: "high" } }],
  [{}, "high", {}],
  [{ reasoning: "reasoning" }, undefined, {}],
];

for (const [quirks, effort, expected] of CHAT) {
  test(`chat completions with ${JSON.stringify(quirks)} at ${effort} say ${JSON.stringify(expected)}`, () => {
    const { model, messages, stream, stream_options, ...rest } = parsed(
      chatBody({ ...CONFIG, quirks }, asked("m", effort), FORM),
    );
    assert.deepEqual(rest, expected);
    assert.ok(model && messages && stream && stream_options);
  });
}

const RESPONSES: readonly (readonly [model: string, effort: ReasoningEffort | undefined, told: string | undefined])[] =
  [
    ["gpt-5.1", undefined, "medium"],
    ["o3-mini", undefined, "medium"],
    ["gpt-4o", undefined, undefined],
    ["m", undefined, undefined],
    ["m", "xhigh", "xhigh"],
    ["m", "minimal", "low"],
    ["gpt-5.1", "none", undefined],
  ];

for (const [model, effort, told] of RESPONSES) {
  test(`a Responses body for ${model} at ${effort} asks for ${told}`, () => {
    const body = parsed(responsesBody(CONFIG, asked(model, effort)));
    assert.deepEqual(body["reasoning"], told === undefined ? undefined : { effort: told, summary: "auto" });
    assert.deepEqual(body["include"], told === undefined ? undefined : ["reasoning.encrypted_content"]);
  });
}

const adaptive = (effort: string) => ({
  thinking: { type: "adaptive", display: "summarized" },
  output_config: { effort },
});
const budget = (tokens: number) => ({ thinking: { type: "enabled", budget_tokens: tokens }, temperature: 1 });
const MESSAGES: readonly (readonly [model: string, effort: ReasoningEffort | undefined, expected: Json])[] = [
  ["claude-opus-4-6", undefined, adaptive("medium")],
  ["claude-opus-4.6", "minimal", adaptive("low")],
  ["claude-opus-4-6", "xhigh", adaptive("max")],
  ["claude-opus-4-7", "xhigh", adaptive("xhigh")],
  ["claude-sonnet-4-5", undefined, budget(8_000)],
  ["claude-sonnet-4-5", "low", budget(4_000)],
  ["claude-3-7-sonnet", "high", budget(16_000)],
  ["claude-opus-4-1", "xhigh", {}],
  ["claude-3-5-haiku", "high", {}],
  ["claude-sonnet-4-5", "none", {}],
  ["m", undefined, {}],
  ["m", "xhigh", budget(32_000)],
];

for (const [model, effort, expected] of MESSAGES) {
  test(`a messages body for ${model} at ${effort} says ${JSON.stringify(expected)}`, () => {
    const body = parsed(anthropicBody(CONFIG, asked(model, effort, { temperature: 0.2 })));
    const { thinking, output_config, temperature } = body;
    const kept = "thinking" in expected ? {} : { temperature: 0.2 };
    assert.deepEqual(JSON.parse(JSON.stringify({ thinking, output_config, temperature })), { ...kept, ...expected });
  });
}

test("a small cap is raised for the budget and an answer behind it", () => {
  const body = parsed(anthropicBody(CONFIG, asked("claude-sonnet-4-5", "high", { maxOutputTokens: 4096 })));
  assert.equal(body["max_tokens"], 16_000 + 4_096);
});

test("a model does not think where the thinking before a call is lost", () => {
  const call = { id: "c", name: "t", arguments: "{}" };
  const messages = [
    { role: "user", content: "go" },
    { role: "assistant", content: "", toolCalls: [call] },
    { role: "tool", content: "ok", toolCallId: "c", name: "t" },
  ] as const;
  assert.equal(parsed(anthropicBody(CONFIG, asked("claude-sonnet-4-5", "high", { messages })))["thinking"], undefined);
});

test("the thinking before calls that were interrupted goes back with what you say next, and the model may think", () => {
  const call = { id: "c", name: "t", arguments: "{}" };
  const anthropic_content_blocks = [
    { type: "thinking", thinking: "first", signature: "sealed" },
    { type: "tool_use", id: "c" },
  ];
  const messages = [
    { role: "user", content: "go" },
    { role: "assistant", content: "", toolCalls: [call], replay: { from: CONFIG.baseUrl, anthropic_content_blocks } },
    { role: "tool", content: "[interrupted]", toolCallId: "c", name: "t" },
    { role: "assistant", content: "" }, // the mark of the interrupted turn
    { role: "user", content: "go on" },
  ] as const;
  const body = parsed(anthropicBody(CONFIG, asked("claude-sonnet-4-5", "high", { messages })));
  assert.deepEqual(
    (body["messages"] as readonly { role: string; content: readonly Json[] }[]).map(({ content }) =>
      content.map(({ type }) => type),
    ),
    [["text"], ["thinking", "tool_use"], ["tool_result", "text"]],
  );
  assert.notEqual(body["thinking"], undefined);
});

test("the long context beta is left out once it was refused", () => {
  const config = { ...CONFIG, quirks: { betas: ["context-1m-2025-08-07", "other-1"] } };
  assert.deepEqual(betasOf(config).slice(2), ["context-1m-2025-08-07", "other-1"]);
  assert.deepEqual(betasOf(config, ["long_context_beta"]).slice(2), ["other-1"]);
});

test("blocks that a chat endpoint wants back grow piece by piece", () => {
  const answer = createAssembler("m", "r");
  const piece = (detail: Json) => answer.chunk({ choices: [{ delta: { reasoning_details: [detail] } }] });
  piece({ type: "reasoning.text", index: 0, text: "so " });
  piece({ type: "reasoning.text", index: 0, text: "far", signature: "s" });
  piece({ type: "reasoning.encrypted", index: 1, data: "x" });
  answer.chunk({ choices: [{ delta: { content: "4" }, finish_reason: "stop" }] });
  const last = answer.finish("done").at(-1);
  assert.ok(last?.type === "done");
  assert.deepEqual(last.replay?.reasoning_details, [
    { type: "reasoning.text", index: 0, text: "so far", signature: "s" },
    { type: "reasoning.encrypted", index: 1, data: "x" },
  ]);
});
