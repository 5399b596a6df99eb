import type { GoalRecord } from "../../contracts/chat/goal.js";

/** The status line of a goal (core part, 13). */
export function goalLine(goal: GoalRecord | undefined): string {
  if (goal === undefined) return "No active goal. Set one with /goal <text>.";
  const turns = `${goal.turns_used}/${goal.max_turns} turns`;
  if (goal.status === "done") return `✓ Goal done (${turns}): ${goal.goal}`;
  if (goal.status === "paused") return `⏸ Goal (paused, ${turns} - ${goal.paused_reason ?? "user"}): ${goal.goal}`;
  const count = goal.subgoals.length;
  const more = count === 0 ? "" : `, ${count} ${count === 1 ? "subgoal" : "subgoals"}`;
  return `⊙ Goal (active, ${turns}${more}): ${goal.goal}`;
}

/** The same with its criteria and what the judge said last. */
export function renderGoal(goal: GoalRecord | undefined): string {
  if (goal === undefined) return goalLine(goal);
  const criteria = goal.subgoals.map((text, at) => `  ${at + 1}. ${text}`);
  const verdict =
    goal.last_reason === null ? [] : [`  last verdict: ${goal.last_verdict ?? "none"}, ${goal.last_reason}`];
  return [goalLine(goal), ...criteria, ...verdict].join("\n");
}
