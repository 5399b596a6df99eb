import { AppError } from "../../base/errors.js";
import type { EpochMs } from "../../base/units.js";
import type { GoalRecord } from "../../contracts/chat/goal.js";

export type { GoalRecord } from "../../contracts/chat/goal.js";

/** What the judge said; `failed`: it could not be asked or understood, which counts as not done. */
export interface GoalVerdict {
  readonly done: boolean;
  readonly reason: string;
  readonly failed: boolean;
}

/** What follows from a verdict. */
export interface Judged {
  readonly goal: GoalRecord;
  readonly next: "achieved" | "spent" | "continue";
  /** One line for the viewers. */
  readonly line: string;
  /** The judge has failed several times in a row: why. */
  readonly warning?: string;
}

export const GOAL_CHARS = 4_000;
/** Consecutive failures of the judge after which each one is reported. */
const PATIENCE = 3;

/** @throws E_INVALID for an empty text or one above 4000 characters */
export function checkGoalText(text: string): string {
  const goal = text.trim();
  if (goal === "") throw new AppError("E_INVALID", "missing goal text");
  const length = goal.length <= GOAL_CHARS ? 0 : [...goal].length;
  if (length > GOAL_CHARS) throw new AppError("E_INVALID", `the goal has ${length} characters (limit ${GOAL_CHARS})`);
  return goal;
}

export function newGoal(text: string, maxTurns: number, at: EpochMs): GoalRecord {
  return {
    goal: cutText(text.trim(), GOAL_CHARS),
    status: "active",
    turns_used: 0,
    max_turns: maxTurns,
    created_at: at,
    last_turn_at: null,
    last_verdict: null,
    last_reason: null,
    paused_reason: null,
    judge_failures: 0,
    subgoals: [],
  };
}

/** The rules of a goal after a turn: met, budget used up, or one more continuation. Pure. */
export function judged(before: GoalRecord, verdict: GoalVerdict, at: EpochMs): Judged {
  const failures = verdict.failed ? before.judge_failures + 1 : 0;
  const warning =
    failures >= PATIENCE
      ? { warning: `The goal could not be judged (${failures} times in a row): ${verdict.reason}` }
      : {};
  const goal: GoalRecord = {
    ...before,
    last_turn_at: at,
    last_verdict: verdict.done ? "done" : "continue",
    last_reason: verdict.reason,
    judge_failures: failures,
  };
  if (verdict.done)
    return { goal: { ...goal, status: "done" }, next: "achieved", line: `✓ Goal achieved: ${verdict.reason}` };
  const { turns_used: used, max_turns: max } = before;
  if (used >= max) {
    const line = `⏸ Goal paused - ${used}/${max} turns used. /goal resume continues.`;
    return { goal: { ...goal, status: "paused", paused_reason: "budget" }, next: "spent", line, ...warning };
  }
  const line = `↻ Continuing toward goal (${used + 1}/${max}): ${verdict.reason}`;
  return { goal: { ...goal, turns_used: used + 1 }, next: "continue", line, ...warning };
}

/** The user message of a continuation. */
export function continuation({ goal, subgoals, last_reason }: GoalRecord): string {
  const criteria = subgoals.length === 0 ? [] : ["", "Criteria:", ...subgoals.map((text, at) => `${at + 1}. ${text}`)];
  const missing = last_reason === null || last_reason === "" ? [] : ["", `Not met yet: ${last_reason}`];
  return [
    "[Continuing toward your standing goal]",
    "",
    goal,
    ...criteria,
    ...missing,
    "",
    "Take the next concrete step. If the goal is complete, say so and name the evidence. If you are blocked, say what blocks you.",
  ].join("\n");
}

/** At most `max` characters, never half of one. */
export const cutText = (text: string, max: number): string =>
  text.length <= max ? text : [...text.slice(0, max * 2)].slice(0, max).join("");
