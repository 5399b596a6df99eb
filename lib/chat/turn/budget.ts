import type { ExitReason } from "../../contracts/chat/chat.js";
import type { TurnState } from "./turn-state.js";

/** Part of a budget after which the model is warned (core part, 10). */
const TOLD_AT = 0.8;

/** One limit of a turn, and how much of it is used. */
export interface TurnBudget {
  readonly reason: Extract<ExitReason, "max_iterations_reached" | "cost_limit_reached" | "time_limit_reached">;
  readonly used: number;
  readonly max: number;
  /** `(2/2) agent.max_turns`. */
  readonly shown: string;
}

/** The limits that hold for a turn. Time that it waits for its user does not count. */
export async function budgetsOf({
  deps,
  rounds,
  started,
}: Pick<TurnState, "deps" | "rounds" | "started">): Promise<readonly TurnBudget[]> {
  const { maxRounds, maxMs, maxCostUsd, transcript, clock, waited } = deps;
  const all: TurnBudget[] = [
    {
      reason: "max_iterations_reached",
      used: rounds,
      max: maxRounds,
      shown: `(${rounds}/${maxRounds}) agent.max_turns`,
    },
  ];
  if (maxCostUsd !== undefined) {
    const used = (await deps.spentUsd?.()) ?? transcript.session.estimated_cost_usd ?? 0;
    all.push({
      reason: "cost_limit_reached",
      used,
      max: maxCostUsd,
      shown: `(${usd(used)}/${usd(maxCostUsd)} USD) agent.max_cost_usd`,
    });
  }
  if (maxMs > 0) {
    const used = Math.round((clock.mono() - started - (waited?.() ?? 0)) / 1000);
    const max = maxMs / 1000;
    all.push({ reason: "time_limit_reached", used, max, shown: `(${used}/${max} s) agent.max_turn_seconds` });
  }
  return all;
}

const usd = (amount: number): string => amount.toFixed(amount < 1 ? 4 : 2).replace(/(\.\d\d)0+$/, "$1");

export const spentOf = (budgets: readonly TurnBudget[]): TurnBudget | undefined =>
  budgets.find(({ used, max }) => used >= max);

/** Warning for the model, once for each budget that is nearly used up. */
export function renderBudgetWarning(budgets: readonly TurnBudget[], told: Set<string>): string | undefined {
  const near = budgets.filter(({ reason, used, max }) => used >= max * TOLD_AT && used < max && !told.has(reason));
  for (const { reason } of near) told.add(reason);
  if (near.length === 0) return undefined;
  const shown = near.map(({ shown: text }) => text).join(", ");
  return `[Budget: ${shown} used. Bring the work to an end: finish what is open, and answer before the rest is used up.]`;
}
