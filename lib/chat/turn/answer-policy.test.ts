import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type AnswerFacts,
  type AnswerMemory,
  type AnswerVerdict,
  judgeAnswer,
  newAnswerMemory,
} from "./answer-policy.js";
import type { RoundAnswer } from "./round.js";

type Ok = Extract<RoundAnswer, { ok: true }>;
const FACTS: AnswerFacts = { afterTools: false, traits: {}, question: "fix the bug in src/a.ts" };
const CALL = { id: "c", name: "read_file", arguments: "{}" };

const answer = (more: Partial<Ok>): Ok => ({
  ok: true,
  finish: "stop",
  content: "",
  reasoning: "",
  toolCalls: [],
  usage: undefined,
  ...more,
});

interface Row {
  readonly name: string;
  readonly answer: Partial<Ok>;
  readonly facts?: Partial<AnswerFacts>;
  readonly memory?: Partial<AnswerMemory>;
  /** `tools`, `ask again`, or the exit reason. */
  readonly does: string;
  /** Roles of the messages for the wire only that it adds. */
  readonly adds?: string;
  readonly cap?: number;
  readonly says?: string;
}

const LONG_TEXT = "and then the second function is call";
const ROWS: readonly Row[] = [
  { name: "a text", answer: { content: "Done." }, does: "text_response", says: "Done." },
  { name: "calls", answer: { toolCalls: [CALL], finish: "tool_calls" }, does: "tools" },
  { name: "a refusal", answer: { content: "I cannot.", finish: "content_filter" }, does: "content_policy_blocked" },
  {
    name: "a cut text",
    answer: { content: "Part", finish: "length" },
    does: "ask again",
    adds: "assistant user",
    cap: 8192,
  },
  {
    name: "a cut text with a configured cap",
    answer: { content: "Part", finish: "length" },
    facts: { traits: { outputCap: 1000 } },
    does: "ask again",
    adds: "assistant user",
    cap: 2000,
  },
  {
    name: "a cap that is above the highest stays",
    answer: { content: "Part", finish: "length" },
    facts: { traits: { outputCap: 50_000 } },
    does: "ask again",
    adds: "assistant user",
    cap: 50_000,
  },
  {
    name: "a text cut by the network",
    answer: { content: "Part", finish: "dropped" },
    does: "ask again",
    adds: "assistant user",
  },
  {
    name: "a call cut by the limit",
    answer: { toolCalls: [CALL], finish: "length" },
    does: "ask again",
    adds: "",
    cap: 8192,
  },
  {
    name: "the fourth cut",
    answer: { content: "d", finish: "length" },
    memory: { continuations: 3, parts: ["a", "b", "c"] },
    does: "truncated",
    says: "abcd",
  },
  {
    name: "the fourth cut call",
    answer: { toolCalls: [CALL], finish: "length" },
    memory: { truncatedCalls: 3 },
    does: "truncated",
  },
  { name: "only thoughts, cut", answer: { reasoning: "hm", finish: "length" }, does: "truncated" },
  {
    name: "stop in mid-sentence of an endpoint that may lie",
    answer: { content: LONG_TEXT },
    facts: { afterTools: true, traits: { fakeStop: true } },
    does: "ask again",
    adds: "assistant user",
    cap: 8192,
  },
  {
    name: "the same of an endpoint that does not lie",
    answer: { content: LONG_TEXT },
    facts: { afterTools: true },
    does: "text_response",
  },
  {
    name: "a natural ending of an endpoint that may lie",
    answer: { content: `${LONG_TEXT}ed。` },
    facts: { afterTools: true, traits: { fakeStop: true } },
    does: "text_response",
  },
  {
    name: "a smile at the end",
    answer: { content: `${LONG_TEXT}ed 🎉` },
    facts: { afterTools: true, traits: { fakeStop: true } },
    does: "text_response",
  },
  {
    name: "a short text of an endpoint that may lie",
    answer: { content: "ready" },
    facts: { afterTools: true, traits: { fakeStop: true } },
    does: "text_response",
  },
  { name: "nothing", answer: {}, does: "ask again", adds: "" },
  { name: "nothing after tools", answer: {}, facts: { afterTools: true }, does: "ask again", adds: "assistant user" },
  {
    name: "nothing after tools, twice",
    answer: {},
    facts: { afterTools: true },
    memory: { nudged: true },
    does: "ask again",
    adds: "",
  },
  { name: "nothing for the fourth time", answer: {}, memory: { emptyAsks: 3 }, does: "empty_response_exhausted" },
  { name: "thoughts alone", answer: { reasoning: "it is 4" }, does: "ask again", adds: "assistant" },
  {
    name: "thoughts alone where answers cannot be begun",
    answer: { reasoning: "it is 4" },
    facts: { traits: { noPrefill: true } },
    does: "ask again",
    adds: "assistant user",
  },
  {
    name: "thoughts alone for the third time",
    answer: { reasoning: "it is 4" },
    memory: { prefills: 2 },
    does: "ask again",
    adds: "",
  },
  {
    name: "nothing behind a text beside housekeeping",
    answer: {},
    memory: { prior: "All done." },
    does: "fallback_prior_turn_content",
    says: "All done.",
  },
  {
    name: "nothing behind a text that the network cut",
    answer: {},
    memory: { parts: ["half"], networkCut: true },
    does: "partial_stream_recovery",
    says: "half",
  },
  {
    name: "nothing behind a text that the limit cut",
    answer: {},
    memory: { parts: ["half"] },
    does: "text_response",
    says: "half",
  },
  {
    name: "an answer that goes on",
    answer: { content: "Looking.", finish: "incomplete" },
    does: "ask again",
    adds: "assistant",
  },
  {
    name: "an answer that goes on for ever",
    answer: { content: "Looking.", finish: "incomplete" },
    memory: { incompletes: 3 },
    does: "text_response",
  },
  {
    name: "an announcement",
    answer: { content: "I'll look into the file." },
    facts: { traits: { announces: true } },
    does: "ask again",
    adds: "assistant user",
  },
  {
    name: "a polite announcement",
    answer: { content: "Sure! Let me take a look at it." },
    facts: { traits: { announces: true } },
    does: "ask again",
    adds: "assistant user",
  },
  {
    name: "the third announcement",
    answer: { content: "I'll look into it." },
    facts: { traits: { announces: true } },
    memory: { announcements: 2 },
    does: "text_response",
  },
  {
    name: "an announcement after tools",
    answer: { content: "I'll look into it." },
    facts: { afterTools: true, traits: { announces: true } },
    does: "text_response",
  },
  { name: "an announcement on another wire", answer: { content: "I'll look into it." }, does: "text_response" },
  {
    name: "a promise that has nothing to do with the workspace",
    answer: { content: "I'll look into it." },
    facts: { traits: { announces: true }, question: "tell me a joke" },
    does: "text_response",
  },
  {
    name: "a question back",
    answer: { content: "I will check the tests. Which ones?" },
    facts: { traits: { announces: true } },
    does: "text_response",
  },
];

for (const row of ROWS) {
  test(`what a response means: ${row.name}`, () => {
    const memory: AnswerMemory = { ...newAnswerMemory(), ...row.memory };
    const verdict = judgeAnswer(answer(row.answer), memory, { ...FACTS, ...row.facts });
    assert.equal(kindOf(verdict), row.does);
    if (row.adds !== undefined) assert.equal(memory.wireOnly.map(({ role }) => role).join(" "), row.adds);
    assert.equal(memory.cap, row.cap);
    if (row.says !== undefined) assert.equal(verdict.do === "end" ? verdict.ending.answer : undefined, row.says);
  });
}

const kindOf = (verdict: AnswerVerdict): string => (verdict.do === "end" ? verdict.ending.reason : verdict.do);
