import { whileLinked } from "../../base/async/abort-any.js";
import { AppError } from "../../base/errors.js";
import type { TurnResult } from "../../contracts/chat/chat.js";
import type { GoalRecord, SubgoalChange } from "../../contracts/chat/goal.js";
import { checkGoalText, continuation } from "../goals/goal.js";
import type { Lane } from "./lane.js";

const MOST_SUBGOALS = 20; // core part, 13
const SUBGOAL_CHARS = 1_000;

/** What users do with the goal of a conversation. Each is one decision of its lane. */

export function setGoal(lane: Lane, text: string, maxTurns: number) {
  return lane.decide(async () => {
    const goal = checkGoalText(text);
    if (lane.busy)
      throw new AppError("E_STATE", "a goal cannot be set while a turn runs", {
        hint: "wait for the turn, or interrupt it with /stop",
      });
    lane.goal.giveWay();
    const before = await lane.goal.goals.get();
    const replaced = before?.status === "done" ? undefined : before;
    if (before !== undefined) await lane.restGoal("user");
    const made = await lane.goal.goals.set(await lane.keepable(goal), maxTurns);
    await lane.say({ text: goal, kind: "message", source: lane.source });
    return { goal: made, replaced };
  });
}

export function pauseGoal(lane: Lane): Promise<GoalRecord> {
  return lane.decide(async () => {
    lane.goal.giveWay();
    if (!(await lane.restGoal("user"))) {
      const goal = await mustHave(lane);
      throw new AppError("E_STATE", goal.status === "done" ? "the goal is done" : "the goal is paused already", {
        hint: "/goal resume goes on",
      });
    }
    return mustHave(lane);
  });
}

export function resumeGoal(lane: Lane): Promise<GoalRecord> {
  return lane.decide(async () => {
    const goal = await mustHave(lane);
    if (goal.status === "active")
      throw new AppError("E_STATE", "the goal is active already", { hint: "/goal shows how far it is" });
    const next: GoalRecord = { ...goal, status: "active", turns_used: 0, paused_reason: null, judge_failures: 0 };
    await lane.goal.goals.change(next);
    await lane.say({ text: continuation(next), kind: "continuation", source: "goal" });
    return next;
  });
}

export function clearGoal(lane: Lane): Promise<boolean> {
  return lane.decide(async () => {
    lane.goal.giveWay();
    const goal = await lane.goal.goals.get();
    if (goal === undefined) return false;
    await lane.restGoal("user");
    await lane.goal.goals.change(undefined);
    return true;
  });
}

export function changeSubgoals(lane: Lane, change: SubgoalChange): Promise<GoalRecord> {
  return lane.decide(async () => {
    const goal = await mustHave(lane);
    const own = change.do === "add" ? { ...change, text: await lane.keepable(change.text) } : change;
    const next = { ...goal, subgoals: changed(goal.subgoals, own) };
    await lane.goal.goals.change(next);
    return next;
  });
}

function changed(subgoals: readonly string[], change: SubgoalChange): readonly string[] {
  if (change.do === "clear") return [];
  if (change.do === "remove") {
    if (subgoals[change.n - 1] === undefined)
      throw new AppError("E_INVALID", `there is no criterion ${change.n}; the goal has ${subgoals.length}`, {
        hint: "/goal shows them",
      });
    return subgoals.filter((_text, at) => at !== change.n - 1);
  }
  const text = change.text.trim();
  if (text === "") throw new AppError("E_INVALID", "a criterion needs a text");
  if ([...text].length > SUBGOAL_CHARS)
    throw new AppError("E_INVALID", `a criterion has at most ${SUBGOAL_CHARS} characters`);
  if (subgoals.length >= MOST_SUBGOALS)
    throw new AppError("E_INVALID", `a goal has at most ${MOST_SUBGOALS} criteria`, {
      hint: "/subgoal remove N takes one away",
    });
  return [...subgoals, text];
}

async function mustHave(lane: Lane): Promise<GoalRecord> {
  const goal = await lane.goal.goals.get();
  if (goal) return goal;
  throw new AppError("E_NOT_FOUND", "No active goal. Set one with /goal <text>.", { hint: "" });
}

/** Wait for the end of the loop: the goal is done, rests, or nothing goes on by itself any more. */
export async function untilGoalRests(
  lane: Lane,
  signal: AbortSignal,
): Promise<{ goal: GoalRecord | undefined; last: TurnResult | undefined }> {
  for (;;) {
    const told = new AbortController();
    const next = whileLinked([signal, told.signal], (either) => lane.goal.told(either));
    const goal = await lane.goal.goals.get();
    const { last, quiet } = await lane.rest();
    if (signal.aborted || quiet || (goal?.status !== "active" && !lane.busy)) {
      told.abort();
      return { goal, last };
    }
    await next;
  }
}
