import type { ModelRequest, ReasoningEffort } from "../../contracts/models/model.js";

/** Models by the newest names first: how to ask them to think. `none`: they do not. */
const FORMS: readonly (readonly [name: string, form: "adaptive" | "budget" | "none", xhigh?: true])[] = [
  ["opus-4-8", "adaptive", true],
  ["opus-4-7", "adaptive", true],
  ["opus-4-6", "adaptive"],
  ["sonnet-4-6", "adaptive"],
  ["3-7-sonnet", "budget"],
  ["claude-3", "none"],
  ["claude", "budget"],
];

const BUDGETS = { minimal: 4_000, low: 4_000, medium: 8_000, high: 16_000, xhigh: 32_000 } as const;

/** Left for the answer beside the thinking (core part, 3.4). */
const ANSWER = 4_096;

/** What the answer may have, and what it could have at most. */
export interface AnswerRoom {
  readonly cap: number;
  readonly most: number;
}

/**
 * The members of a messages body about thinking, with the cap that it needs. Models of the maker think at medium effort where nothing else is
 * said; others only when asked to. A model whose room is too small for the budget does not think.
 */
export function thinkingOf(
  { effort }: Pick<ModelRequest, "effort">,
  model: string,
  { cap, most }: AnswerRoom,
): Readonly<Record<string, unknown>> {
  const [, form, xhigh] = FORMS.find(([name]) => model.includes(name)) ?? [
    "",
    effort === undefined ? "none" : "budget",
  ];
  const wanted: ReasoningEffort = effort ?? "medium";
  if (form === "none" || wanted === "none") return {};
  if (form === "adaptive") {
    const told = wanted === "minimal" ? "low" : wanted === "xhigh" && xhigh !== true ? "max" : wanted;
    return {
      thinking: { type: "adaptive", display: "summarized" },
      output_config: { effort: told },
      temperature: undefined,
    };
  }
  const budget = BUDGETS[wanted];
  if (most < budget + ANSWER) return {};
  return {
    max_tokens: Math.max(cap, budget + ANSWER),
    thinking: { type: "enabled", budget_tokens: budget },
    temperature: 1,
  };
}
