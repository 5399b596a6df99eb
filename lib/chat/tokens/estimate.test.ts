import assert from "node:assert/strict";
import { test } from "node:test";
import { estimateTokens } from "./estimate.js";

test("a request counts a token for four characters of texts, calls and schemas", () => {
  const call = { id: "c", name: "todo", arguments: "1234" };
  const messages = [
    { role: "system" as const, content: "x".repeat(8) },
    { role: "assistant" as const, content: "", toolCalls: [call] },
  ];
  assert.equal(estimateTokens(messages, []), Math.ceil((8 + 8 + 2) / 4));
  const tools = [{ name: "todo", description: "", parameters: {} }];
  assert.equal(estimateTokens([], tools), Math.ceil(JSON.stringify(tools).length / 4));
});
