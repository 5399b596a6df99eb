import type { WorkerBrief } from "../board/worker-api/worker-methods.js";
import { cutText, GOAL_CHARS } from "../chat/goals/goal.js";
import { createGoals, type GoalStep } from "../chat/goals/goal-engine.js";
import type { TurnResult } from "../contracts/chat/chat.js";
import { spend } from "./worker-budget.js";
import { addRunUsage, type WorkerParts, type WorkerRun } from "./worker-state.js";

/** The goal of a goal task: title and body, judged after each turn (board part, 9.6). */
export interface WorkerGoal {
  /** Undefined: the goal is met or given up, and the worker knows. */
  afterTurn(result: TurnResult, signal: AbortSignal): Promise<GoalStep | undefined>;
}

/** Set the goal of the run. A judgement counts as activity and its tokens as those of the run. */
export async function openGoal(
  run: WorkerRun,
  brief: WorkerBrief,
  { transcript, activity }: WorkerParts,
): Promise<WorkerGoal> {
  const { ask, maxTurns, diffStat } = await run.deps.goals();
  const goals = createGoals({
    transcript,
    clock: run.deps.clock,
    diffStat,
    ask: async (request, signal) => {
      activity();
      const answer = await ask(request, signal);
      if (answer.ok) addRunUsage(run.usage, answer.usage);
      return answer;
    },
  });
  const { title, body, goal_max_turns: own } = brief.task;
  await goals.set(cutText(body === null ? title : `${title}\n\n${body}`, GOAL_CHARS), own ?? maxTurns);
  return {
    afterTurn: async (result, signal) => {
      const step = await goals.afterTurn(result, signal);
      if (step !== undefined) await spend(run, true);
      return step;
    },
  };
}
