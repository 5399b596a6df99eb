import type { TurnResult } from "../../contracts/chat/chat.js";
import type { Goals } from "./goal-engine.js";

export interface GoalLoopDeps {
  goals(): Goals;
  /** Between the decisions of the actor. */
  decide<T>(work: () => Promise<T>): Promise<T>;
  /** Nothing runs and nothing waits. */
  mayContinue(): Promise<boolean>;
  /** Queue the next step. Within a decision. */
  goOn(text: string): Promise<void>;
  failed(error: string): void;
}

/** The loop of a standing goal: after each turn one judgement, after it one more turn, until it is met or its budget is spent (core part, 13). */
export interface GoalLoop {
  readonly goals: Goals;
  readonly judging: boolean;
  /** Judge in the background, beside whatever the user does. */
  judge(result: TurnResult): void;
  /** A message has come: the judgement is dropped, and taken after that turn. @returns whether a judgement was running */
  giveWay(): boolean;
  /** Something has come to an end: waiters look again. */
  tell(): void;
  /** Resolves at the next `tell`, or when the signal aborts. */
  told(signal: AbortSignal): Promise<void>;
  /** Resolves when every judgement has ended, those that gave way included. */
  idle(): Promise<void>;
}

export function createGoalLoop(deps: GoalLoopDeps): GoalLoop {
  let judging: AbortController | undefined;
  /** One that has given way may not have ended yet. */
  const running = new Set<Promise<void>>();
  const watchers = new Set<() => void>();
  const tell = () => {
    for (const watcher of [...watchers]) watcher();
  };
  const giveWay = () => {
    const was = judging;
    judging = undefined;
    was?.abort();
    return was !== undefined;
  };
  return {
    get goals() {
      return deps.goals();
    },
    get judging() {
      return judging !== undefined;
    },
    judge: (result) => {
      giveWay();
      const control = new AbortController();
      judging = control;
      const done: Promise<void> = judgeOnce(deps, result, control.signal)
        .catch((error: unknown) => deps.failed(error instanceof Error ? error.message : String(error)))
        .finally(() => {
          running.delete(done);
          if (judging === control) judging = undefined;
          tell();
        });
      running.add(done);
    },
    giveWay,
    tell,
    told: (signal) =>
      new Promise((resolve) => {
        const settle = () => {
          watchers.delete(settle);
          signal.removeEventListener("abort", settle);
          resolve();
        };
        watchers.add(settle);
        signal.addEventListener("abort", settle, { once: true });
        if (signal.aborted) settle();
      }),
    idle: async () => {
      await Promise.all(running);
    },
  };
}

async function judgeOnce(deps: GoalLoopDeps, result: TurnResult, signal: AbortSignal): Promise<void> {
  const goals = deps.goals();
  const verdict = await goals.judge(result, signal);
  if (verdict === undefined) return;
  await deps.decide(async () => {
    if (signal.aborted || !(await deps.mayContinue())) return;
    const step = await goals.settle(result.turn_id, verdict);
    if (step?.next === "continue") await deps.goOn(step.text);
  });
}
