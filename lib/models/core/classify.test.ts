import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModelErrorClass } from "../../contracts/models/model.js";
import { classify, type Failed, toFailure } from "./classify.js";

const error = (message: string, code?: string) => JSON.stringify({ error: { message, code } });
const LARGE = { promptTokens: 90_000, window: 128_000 };

const CASES: readonly (readonly [row: number, failed: Failed, expected: ModelErrorClass])[] = [
  [1, { status: 400, body: error("flagged", "content_filter") }, "content_policy_blocked"],
  [1, { status: 403, body: error("This violates our usage policies") }, "content_policy_blocked"],
  [2, { status: 400, body: error("thinking blocks cannot be modified") }, "thinking_signature"],
  [2, { status: 400, body: error("Invalid signature in thinking block") }, "thinking_signature"],
  [3, { status: 429, body: error("Extra usage is required for long context requests") }, "long_context_tier"],
  [4, { status: 400, body: error("The long context beta is not yet available") }, "oauth_long_context_beta_forbidden"],
  [5, { status: 400, body: error("json-schema-to-grammar: bad pattern") }, "grammar_pattern"],
  [6, { status: 401, body: "" }, "auth"],
  [7, { status: 403, body: error("Key limit exceeded") }, "billing"],
  [7, { status: 403, body: error("insufficient credits") }, "billing"],
  [8, { status: 403, body: error("no") }, "auth"],
  [9, { status: 402, body: error("usage limit reached, try again at noon") }, "rate_limit"],
  [10, { status: 402, body: error("usage limit reached") }, "billing"],
  [11, { status: 404, body: error("exceeded your current quota") }, "billing"],
  [11, { status: 404, body: error("No endpoints found matching your data policy") }, "provider_policy_blocked"],
  [11, { status: 404, body: error("model 'x' not found, try pulling it first", "model_not_found") }, "model_not_found"],
  [11, { status: 404, body: error("The model `x` does not exist.", "404") }, "model_not_found"],
  [11, { status: 404, body: JSON.stringify({ error: "model 'llama3' not found" }) }, "model_not_found"],
  [
    11,
    {
      status: 404,
      body: JSON.stringify({ type: "error", error: { type: "not_found_error", message: "model: claude-x" } }),
    },
    "model_not_found",
  ],
  [11, { status: 404, body: "404 page not found" }, "unknown"],
  [11, { status: 404, body: error("nothing here") }, "unknown"],
  [12, { status: 413, body: "" }, "payload_too_large"],
  [13, { status: 429, body: error("insufficient_quota") }, "rate_limit"],
  [
    14,
    { status: 400, body: error("messages.3: tool content must be a string") },
    "multimodal_tool_content_unsupported",
  ],
  [15, { status: 400, body: error("image exceeds 5 MB") }, "image_too_large"],
  [16, { status: 400, body: error("The encrypted content could not be verified") }, "invalid_encrypted_content"],
  [17, { status: 400, body: error("Unsupported parameter: 'max_tokens'") }, "format_error"],
  [18, { status: 400, body: error("This model's maximum context length is 8192 tokens") }, "context_overflow"],
  [18, { status: 400, body: error("prompt is too long: 210000 tokens") }, "context_overflow"],
  [18, { status: 400, body: error("Error"), ...LARGE }, "context_overflow"],
  [18, { status: 400, body: error("Error"), messages: 81 }, "context_overflow"],
  [19, { status: 400, body: error("Error") }, "format_error"],
  [19, { status: 400, body: error("x is not a valid model ID") }, "model_not_found"],
  [19, { status: 400, body: error("Too many requests, slow down please my friend") }, "rate_limit"],
  [19, { status: 400, body: error("Your credit balance is too low to go on here") }, "billing"],
  [20, { status: 500, body: error("Unknown parameter: foo") }, "format_error"],
  [20, { status: 502, body: error("unrecognized request argument supplied: foo") }, "format_error"],
  [21, { status: 503, body: "" }, "overloaded"],
  [21, { status: 529, body: "" }, "overloaded"],
  [21, { status: 500, body: "" }, "server_error"],
  [21, { status: 504, body: "" }, "server_error"],
  [21, { status: 422, body: "" }, "format_error"],
  [22, { body: error("request entity too large") }, "payload_too_large"],
  [22, { body: error("x", "insufficient_quota") }, "billing"],
  [22, { body: error("rate limit reached") }, "rate_limit"],
  [22, { body: error("too many tokens") }, "context_overflow"],
  [22, { body: error("invalid api key") }, "auth"],
  [22, { body: error("no such model") }, "model_not_found"],
  [22, { body: error("upstream request timed out") }, "timeout"],
  [23, { body: "connection reset", transport: "reset", ...LARGE }, "context_overflow"],
  [24, { body: "connection reset", transport: "reset" }, "timeout"],
  [24, { body: "x", transport: "refused" }, "timeout"],
  [24, { body: "tls alert 40" }, "timeout"],
  [25, { body: "what?" }, "unknown"],
];

for (const [row, failed, expected] of CASES) {
  test(`row ${row}: ${failed.status ?? "no status"} ${JSON.stringify(failed.body).slice(0, 70)} ${failed.promptTokens ?? ""}${failed.messages ?? ""} is ${expected}`, () => {
    assert.equal(classify(failed).class, expected);
  });
}

/** What may be done: (r)etry, retry (1) once, (c)ompact, (k)ey rotation, (f)allback. */
const ACTIONS: readonly (readonly [row: number, failed: Failed, actions: string])[] = [
  [1, { status: 400, body: error("flagged", "content_filter") }, "f"],
  [2, { status: 400, body: error("Invalid signature in thinking block") }, "1"],
  [3, { status: 429, body: error("Extra usage is required for long context requests") }, "rc"],
  [4, { status: 400, body: error("The long context beta is not yet available") }, "1"],
  [5, { status: 400, body: error("json-schema-to-grammar: bad pattern") }, "1"],
  [6, { status: 401, body: "" }, "kf"],
  [7, { status: 403, body: error("Key limit exceeded") }, "kf"],
  [8, { status: 403, body: error("no") }, "f"],
  [9, { status: 402, body: error("usage limit reached, try again at noon") }, "rkf"],
  [10, { status: 402, body: "" }, "kf"],
  [11, { status: 404, body: error("exceeded your current quota") }, "kf"],
  [11, { status: 404, body: error("No endpoints found matching your data policy") }, ""],
  [11, { status: 404, body: error("model not found") }, "f"],
  [11, { status: 404, body: error("nothing here") }, "r"],
  [12, { status: 413, body: "" }, "rc"],
  [13, { status: 429, body: "" }, "rkf"],
  [14, { status: 400, body: error("messages.3: tool content must be a string") }, "1"],
  [15, { status: 400, body: error("image exceeds 5 MB") }, "1"],
  [16, { status: 400, body: error("The encrypted content could not be verified") }, "1"],
  [17, { status: 400, body: error("Unsupported parameter: 'x'") }, "f"],
  [18, { status: 400, body: error("prompt is too long: 210000 tokens") }, "rc"],
  [19, { status: 400, body: error("Error") }, "f"],
  [20, { status: 500, body: error("Unknown parameter: foo") }, "f"],
  [21, { status: 503, body: "" }, "rf"],
  [21, { status: 500, body: "" }, "rf"],
  [21, { status: 422, body: "" }, "f"],
  [22, { body: error("x", "insufficient_quota") }, "kf"],
  [22, { body: error("rate limit reached") }, "rkf"],
  [22, { body: error("too many tokens") }, "rcf"],
  [23, { body: "connection reset", transport: "reset", ...LARGE }, "rc"],
  [24, { body: "x", transport: "refused" }, "rf"],
  [25, { body: "what?" }, "rf"],
];

for (const [row, failed, actions] of ACTIONS) {
  test(`row ${row}: ${failed.status ?? "no status"} ${JSON.stringify(failed.body).slice(0, 60)} may be helped by ${actions === "" ? "nothing" : actions}`, () => {
    const { retry, compact, rotate, fallback } = classify(failed);
    const may = [retry === "once" && "1", retry === true && "r", compact && "c", rotate && "k", fallback && "f"];
    assert.equal(may.filter(Boolean).join(""), actions);
  });
}

const MESSAGES: readonly (readonly [body: string, shown: string])[] = [
  [error("plain"), "plain"],
  ['{"error":"just text"}', "just text"],
  ['{"detail":"of a framework"}', "of a framework"],
  ['{"message":"on top"}', "on top"],
  ['[{"error":{"message":"in a list"}}]', "in a list"],
  [
    '{"error":{"message":"Provider returned error","metadata":{"raw":"{\\"error\\":{\\"message\\":\\"the inner one\\"}}"}}}',
    "the inner one",
  ],
  ['{"error":{"message":"{\\"error\\":{\\"message\\":\\"nested in the text\\"}}"}}', "nested in the text"],
  [
    "<html><head><title>502 Bad Gateway</title></head><body>Request ID: abc123def</body></html>",
    "502 Bad Gateway (request abc123def)",
  ],
  ["<!doctype html><p>x", "an HTML page instead of an answer"],
  ["two\nlines\u001b[31m", "two lines [31m"],
  ["", "no explanation"],
  ["x".repeat(1000), "x".repeat(300)],
];

for (const [body, shown] of MESSAGES) {
  test(`${JSON.stringify(body).slice(0, 60)} is shown as ${shown.slice(0, 40)}`, () => {
    assert.equal(toFailure({ status: 502, body }).message, `HTTP 502: ${shown}`);
  });
}

test("a path that the server does not have names the setting of its address", () => {
  assert.match(toFailure({ status: 404, body: "404 page not found" }).hint ?? "", /check model\.base_url/);
});

test("a failure of no known kind names the file that has its request", () => {
  assert.match(toFailure({ body: "what?" }).hint ?? "", /sessions\/request_dump_/);
});
