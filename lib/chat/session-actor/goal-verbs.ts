import { withLinkedSignal } from "../../base/async/abort-any.js";
import { AppError } from "../../base/errors.js";
import type { TurnResult } from "../../contracts/chat/chat.js";
import type { GoalRecord, SubgoalChange } from "../../contracts/chat/goal.js";
import { checkGoalText, continuation } from "../goals/goal.js";
import type { SessionActor } from "./session-actor.js";

const MOST_SUBGOALS = 20; // core part, 13
const SUBGOAL_CHARS = 1_000;

/** What users do with the goal of a conversation. Each is one decision of its actor. */

export function setGoal(actor: SessionActor, text: string, maxTurns: number) {
  return actor.decide(async () => {
    const goal = checkGoalText(text);
    if (actor.busy)
      throw new AppError("E_STATE", "a goal cannot be set while a turn runs", {
        hint: "wait for the turn, or interrupt it with /stop",
      });
    actor.goal.giveWay();
    const before = await actor.goal.goals.get();
    const replaced = before?.status === "done" ? undefined : before;
    if (before !== undefined) await actor.restGoal("user");
    const made = await actor.goal.goals.set(await actor.keepable(goal), maxTurns);
    await actor.say({ text: goal, kind: "message", source: actor.source });
    return { goal: made, replaced };
  });
}

export function pauseGoal(actor: SessionActor): Promise<GoalRecord> {
  return actor.decide(async () => {
    actor.goal.giveWay();
    if (!(await actor.restGoal("user"))) {
      const goal = await mustHave(actor);
      throw new AppError("E_STATE", goal.status === "done" ? "the goal is done" : "the goal is already paused", {
        hint: "/goal resume resumes it",
      });
    }
    return mustHave(actor);
  });
}

export function resumeGoal(actor: SessionActor): Promise<GoalRecord> {
  return actor.decide(async () => {
    const goal = await mustHave(actor);
    if (goal.status === "active")
      throw new AppError("E_STATE", "the goal is already active", { hint: "/goal shows its progress" });
    const next: GoalRecord = { ...goal, status: "active", turns_used: 0, paused_reason: null, judge_failures: 0 };
    await actor.goal.goals.change(next);
    await actor.say({ text: continuation(next), kind: "continuation", source: "goal" });
    return next;
  });
}

export function clearGoal(actor: SessionActor): Promise<boolean> {
  return actor.decide(async () => {
    actor.goal.giveWay();
    const goal = await actor.goal.goals.get();
    if (goal === undefined) return false;
    await actor.restGoal("user");
    await actor.goal.goals.change(undefined);
    return true;
  });
}

export function changeSubgoals(actor: SessionActor, change: SubgoalChange): Promise<GoalRecord> {
  return actor.decide(async () => {
    const goal = await mustHave(actor);
    const own = change.do === "add" ? { ...change, text: await actor.keepable(change.text) } : change;
    const next = { ...goal, subgoals: changed(goal.subgoals, own) };
    await actor.goal.goals.change(next);
    return next;
  });
}

function changed(subgoals: readonly string[], change: SubgoalChange): readonly string[] {
  if (change.do === "clear") return [];
  if (change.do === "remove") {
    if (subgoals[change.n - 1] === undefined)
      throw new AppError("E_INVALID", `no criterion ${change.n}; the goal has ${subgoals.length}`, {
        hint: "/goal lists them",
      });
    return subgoals.filter((_text, at) => at !== change.n - 1);
  }
  const text = change.text.trim();
  if (text === "") throw new AppError("E_INVALID", "missing criterion text");
  if ([...text].length > SUBGOAL_CHARS)
    throw new AppError("E_INVALID", `a criterion may have at most ${SUBGOAL_CHARS} characters`);
  if (subgoals.length >= MOST_SUBGOALS)
    throw new AppError("E_INVALID", `a goal may have at most ${MOST_SUBGOALS} criteria`, {
      hint: "/subgoal remove N removes one",
    });
  return [...subgoals, text];
}

async function mustHave(actor: SessionActor): Promise<GoalRecord> {
  const goal = await actor.goal.goals.get();
  if (goal) return goal;
  throw new AppError("E_NOT_FOUND", "No active goal. Set one with /goal <text>.", { hint: "" });
}

/** Wait for the end of the loop: the goal is done, rests, or nothing goes on by itself any more. */
export async function untilGoalRests(
  actor: SessionActor,
  signal: AbortSignal,
): Promise<{ goal: GoalRecord | undefined; last: TurnResult | undefined }> {
  for (;;) {
    const told = new AbortController();
    const next = withLinkedSignal([signal, told.signal], (either) => actor.goal.told(either));
    const goal = await actor.goal.goals.get();
    const { last, quiet } = await actor.rest();
    if (signal.aborted || quiet || (goal?.status !== "active" && !actor.busy)) {
      told.abort();
      return { goal, last };
    }
    await next;
  }
}
