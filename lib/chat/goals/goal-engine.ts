import type { Clock } from "../../base/time/clock.js";
import type { TurnId } from "../../base/units.js";
import type { MessageRecord, Transcript, TurnResult } from "../../contracts/chat/chat.js";
import {
  checkGoalText,
  continuation,
  cutText,
  type GoalRecord,
  type GoalVerdict,
  type Judged,
  judged,
  newGoal,
} from "./goal.js";
import { type AskJudge, judgeRequest, type ToolOutcome, verdictOf } from "./goal-judge.js";

/** Where a goal is kept. */
export interface GoalKeeper {
  read(): Promise<GoalRecord | undefined>;
  /** Undefined removes it. `turn`: the turn that was judged. The change is an event. */
  write(goal: GoalRecord | undefined, turn: TurnId | undefined): Promise<void>;
}

export interface GoalDeps {
  readonly transcript: Pick<Transcript, "record" | "setRecord" | "event" | "messages">;
  /** Absent: the record of the lineage, over the transcript. */
  readonly kept?: GoalKeeper;
  /** The slot `goal_judge`. */
  readonly ask: AskJudge;
  readonly clock: Clock;
  /** `git diff --stat` of where the conversation works; "" without a repository. */
  diffStat(): Promise<string>;
}

/** What comes after a turn of a conversation with a goal; `text` is the next user message. */
export type GoalStep = Judged & { readonly text: string };

/** What the judge said about which goal. */
export interface GoalJudgement {
  readonly of: GoalRecord;
  readonly verdict: GoalVerdict;
}

/** The standing goal of one conversation. */
export interface Goals {
  get(): Promise<GoalRecord | undefined>;
  /** Begin a goal; an earlier one is replaced. @throws E_INVALID for an empty text or one above 4000 characters */
  set(text: string, maxTurns: number): Promise<GoalRecord>;
  /** Replace the record; undefined removes it. */
  change(next: GoalRecord | undefined): Promise<void>;
  /** False: no goal is active. */
  pause(reason: "user" | "interrupt"): Promise<boolean>;
  /** Ask the judge after a turn which ended without interruption. Undefined: no goal is active, or the signal aborted. */
  judge(result: TurnResult, signal: AbortSignal): Promise<GoalJudgement | undefined>;
  /** Store what follows from a judgement and tell it. Undefined: the goal was changed meanwhile. */
  settle(turn: TurnId, judgement: GoalJudgement): Promise<GoalStep | undefined>;
  /** Both at once. */
  afterTurn(result: TurnResult, signal: AbortSignal): Promise<GoalStep | undefined>;
}

const RECORD = "goal";

export function createGoals(deps: GoalDeps): Goals {
  const { transcript, clock, kept = overTranscript(deps.transcript) } = deps;
  const judge: Goals["judge"] = async (result, signal) => {
    const of = await kept.read();
    if (of?.status !== "active") return undefined;
    const verdict = await judgeTurn(deps, of, result, signal);
    return signal.aborted ? undefined : { of, verdict };
  };
  const settle: Goals["settle"] = async (turn, { of, verdict }) => {
    const goal = await kept.read();
    if (goal?.status !== "active" || goal.created_at !== of.created_at) return undefined;
    const step = judged(goal, verdict, clock.now());
    await kept.write(step.goal, turn);
    await transcript.event(turn, "notice", { level: "info", code: "goal", text: step.line });
    if (step.warning !== undefined)
      await transcript.event(turn, "notice", { level: "warning", code: "goal_judge", text: step.warning });
    return { ...step, text: continuation(step.goal) };
  };
  return {
    get: () => kept.read(),
    set: async (text, maxTurns) => {
      const goal = newGoal(checkGoalText(text), maxTurns, clock.now());
      await kept.write(goal, undefined);
      return goal;
    },
    change: (next) => kept.write(next, undefined),
    pause: async (reason) => {
      const goal = await kept.read();
      if (goal?.status !== "active") return false;
      await kept.write({ ...goal, status: "paused", paused_reason: reason }, undefined);
      return true;
    },
    judge,
    settle,
    afterTurn: async (result, signal) => {
      const judgement = await judge(result, signal);
      return judgement && settle(result.turn_id, judgement);
    },
  };
}

/** The record that a transcript keeps; it is shown only in a turn. */
function overTranscript(transcript: GoalDeps["transcript"]): GoalKeeper {
  return {
    read: async () => parseGoal(await transcript.record(RECORD)),
    write: async (goal, turn) => {
      await transcript.setRecord(RECORD, JSON.stringify(goal ?? null));
      if (turn !== undefined) await transcript.event(turn, "goal.changed", { ...goal });
    },
  };
}

async function judgeTurn(
  deps: GoalDeps,
  goal: GoalRecord,
  result: TurnResult,
  signal: AbortSignal,
): Promise<GoalVerdict> {
  const request = judgeRequest(goal, {
    answer: result.final_response,
    outcomes: outcomesOf(await deps.transcript.messages()),
    changed: result.files_changed,
    notChanged: result.files_not_changed.map(({ path, error }) => `${path}: ${error}`),
    diffStat: await deps.diffStat(),
    todo: (await deps.transcript.record("todo")) ?? "",
    at: deps.clock.now(),
  });
  return verdictOf(await deps.ask(request, signal));
}

/** Results of tool calls in the order of the conversation. */
function outcomesOf(messages: readonly MessageRecord[]): ToolOutcome[] {
  const active = messages.filter((message) => message.active);
  const args = new Map(
    active.flatMap((message) => (message.toolCalls ?? []).map((call) => [call.id, call.arguments] as const)),
  );
  return active
    .filter((message) => message.role === "tool")
    .map(({ toolName, toolCallId, status, content }) => ({
      name: toolName ?? "tool",
      preview: cutText(args.get(toolCallId ?? "") ?? "", 120),
      status: status ?? "ok",
      exitCode: exitCodeIn(content),
      text: content,
    }));
}

/** Tools that ran a program say so in their result. */
function exitCodeIn(content: string): number | undefined {
  const found = /"exit_code":\s*(-?\d+)/.exec(content)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** A record that another version wrote otherwise is as good as none. */
export function parseGoal(json: string | undefined): GoalRecord | undefined {
  if (json === undefined) return undefined;
  const value = JSON.parse(json) as Partial<GoalRecord> | null; // written by this file
  return typeof value?.goal === "string" && typeof value.max_turns === "number" ? (value as GoalRecord) : undefined; // see above
}
