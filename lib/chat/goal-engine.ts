import type { Clock } from "../base/clock.js";
import { AppError } from "../base/errors.js";
import type { MessageRecord, Transcript, TurnResult } from "../proto/chat.js";
import { continuation, cutText, type GoalRecord, type Judged, judged, newGoal } from "./goal.js";
import { type AskJudge, judgeRequest, type ToolOutcome, verdictOf } from "./goal-judge.js";

export interface GoalDeps {
  readonly transcript: Pick<Transcript, "record" | "setRecord" | "event" | "messages">;
  /** The slot `goal_judge`. */
  readonly ask: AskJudge;
  readonly clock: Clock;
  /** `git diff --stat` of where the conversation works; "" without a repository. */
  diffStat(): Promise<string>;
}

/** What comes after a turn of a conversation with a goal; `text` is the next user message. */
export type GoalStep = Judged & { readonly text: string };

/** The standing goal of one conversation. */
export interface Goals {
  get(): Promise<GoalRecord | undefined>;
  /** Begin a goal; an earlier one is replaced. @throws E_INVALID for an empty text */
  set(text: string, maxTurns: number): Promise<GoalRecord>;
  /** Judge the goal after a turn which ended without interruption. Undefined: there is no active goal. */
  afterTurn(result: TurnResult, signal: AbortSignal): Promise<GoalStep | undefined>;
}

const RECORD = "goal";

export function createGoals(deps: GoalDeps): Goals {
  const get = async () => parse(await deps.transcript.record(RECORD));
  return {
    get,
    set: async (text, maxTurns) => {
      if (text.trim() === "") throw new AppError("E_INVALID", "a goal needs a text");
      const goal = newGoal(text, maxTurns, deps.clock.now());
      await deps.transcript.setRecord(RECORD, JSON.stringify(goal));
      return goal;
    },
    afterTurn: async (result, signal) => {
      const goal = await get();
      if (goal?.status !== "active") return undefined;
      const step = await judgeTurn(deps, goal, result, signal);
      await deps.transcript.setRecord(RECORD, JSON.stringify(step.goal));
      await deps.transcript.event(result.turn_id, "goal.changed", { ...step.goal });
      await deps.transcript.event(result.turn_id, "notice", { level: "info", code: "goal", text: step.line });
      if (step.warning !== undefined)
        await deps.transcript.event(result.turn_id, "notice", { level: "warning", code: "goal_judge", text: step.warning });
      return step;
    },
  };
}

async function judgeTurn(deps: GoalDeps, goal: GoalRecord, result: TurnResult, signal: AbortSignal): Promise<GoalStep> {
  const request = judgeRequest(goal, {
    answer: result.final_response,
    outcomes: outcomesOf(await deps.transcript.messages()),
    changed: result.files_changed,
    notChanged: result.files_not_changed.map(({ path, error }) => `${path}: ${error}`),
    diffStat: await deps.diffStat(),
    todo: (await deps.transcript.record("todo")) ?? "",
    at: deps.clock.now(),
  });
  const answer = await deps.ask(request, signal);
  const step = judged(goal, verdictOf(answer), deps.clock.now());
  return { ...step, text: continuation(step.goal) };
}

/** Results of tool calls in the order of the conversation. */
function outcomesOf(messages: readonly MessageRecord[]): ToolOutcome[] {
  const active = messages.filter((message) => message.active);
  const args = new Map(active.flatMap((message) => (message.toolCalls ?? []).map((call) => [call.id, call.arguments] as const)));
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
function parse(json: string | undefined): GoalRecord | undefined {
  if (json === undefined) return undefined;
  const value = JSON.parse(json) as Partial<GoalRecord> | null; // written by this file
  return typeof value?.goal === "string" && typeof value.max_turns === "number" ? (value as GoalRecord) : undefined; // see above
}
