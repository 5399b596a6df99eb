import assert from "node:assert/strict";
import { test } from "node:test";
import type { UnixSeconds } from "../../../../base/units.js";
import type { Diagnostic } from "../../../../contracts/board/explain.js";
import { renderTriageOutlook } from "./outlook.js";

const NOW = 1_000_000;
const TASK = {
  auto_decompose: true,
  decompose_attempts: 0,
  decompose_next_at: null,
  assignee: null,
  external: false,
  updated_at: 0 as UnixSeconds,
  diagnostics: [] as readonly Diagnostic[],
};
const RULES = { auto: true, paused: false };
const at = (seconds: number) => (NOW + seconds) as UnixSeconds; // an instant of this test

const found = (kind: Diagnostic["kind"]): Diagnostic => ({
  kind,
  severity: "warning",
  title: "",
  detail: "",
  actions: [],
  count: 1,
  data: {},
  first_seen_at: at(0),
  last_seen_at: at(0),
});

const CASES = [
  { what: "manual orchestration", task: TASK, rules: { ...RULES, auto: false }, says: /orchestration is manual/ },
  {
    what: "a task left to people",
    task: { ...TASK, auto_decompose: false },
    rules: RULES,
    says: /disabled for this task/,
  },
  { what: "an external task", task: { ...TASK, external: true }, rules: RULES, says: /external/ },
  { what: "a paused board", task: TASK, rules: { ...RULES, paused: true }, says: /paused/ },
  {
    what: "a wait",
    task: { ...TASK, decompose_attempts: 2, decompose_next_at: at(240) },
    rules: RULES,
    says: /in 4 min after 2 failed/,
  },
  {
    what: "no model to ask",
    task: { ...TASK, diagnostics: [found("triage_aux_unavailable")] },
    rules: RULES,
    says: /no model is configured/,
  },
  {
    what: "all attempts used up",
    task: { ...TASK, diagnostics: [found("auto_decompose_exhausted")] },
    rules: RULES,
    says: /all have failed/,
  },
  { what: "nothing in the way", task: TASK, rules: RULES, says: /next passes\.$/ },
];

for (const { what, task, rules, says } of CASES)
  test(`a triage card with ${what} says when the model is asked, or why it is not`, () => {
    assert.match(renderTriageOutlook(task, rules, NOW), says);
  });
