import type { WorkerMethod } from "../board/worker-api/worker-methods.js";
import type { NewMessage, Transcript } from "../contracts/chat/chat.js";
import type { Usage } from "../contracts/models/model.js";
import { addRunUsage, EXIT, type Spending, type WorkerParts, type WorkerRun, WorkerStop } from "./worker-state.js";
import { traceMessages, traceUsage } from "./worker-trace.js";

/**
 * Tell the owner what the run has used so far. When that is all the task may use, the task is blocked already and the worker stops; it may
 * still store the end of its conversation. @param ends False: a terminal call follows and settles the task itself
 */
export async function spend(run: WorkerRun, ends: boolean): Promise<void> {
  try {
    const answer = (await run.call("worker.spend" satisfies WorkerMethod, { usage: run.usage, ends })) as {
      over: boolean;
    }; // the answer of createWorkerMethods
    if (answer.over) outOfBudget(run);
  } catch (error) {
    // The run is over by its own call: the end of the conversation is stored whether its last tokens are counted or not.
    if (!run.terminal) throw error;
  }
}

export function createSpending(run: WorkerRun): Spending {
  let counted: Usage | undefined;
  let waiting: boolean | undefined;
  let sending: Promise<void> | undefined;
  const send = async (): Promise<void> => {
    for (let ends = waiting; ends !== undefined; ends = waiting) {
      waiting = undefined;
      await spend(run, ends);
    }
  };
  return {
    count: async (usage, ends) => {
      waiting = undefined;
      addRunUsage(run.usage, usage, counted);
      counted = undefined;
      await sending;
      await spend(run, ends);
    },
    told: (usage, ends) => {
      addRunUsage(run.usage, usage, counted);
      counted = usage;
      waiting = ends;
      sending ??= send()
        .catch(() => undefined) // ok to lose: a lost claim has stopped the run in `call`; the end of the turn tells all of it
        .finally(() => {
          sending = undefined;
        });
    },
  };
}

/** The task was blocked because its tokens are used up. */
export function outOfBudget(run: WorkerRun): void {
  run.deps.say("the token budget of the task is used up");
  run.deps.onTerminal();
  run.control.abort(new WorkerStop(EXIT.done, "the token budget is used up", true));
}

/** The transcript with every change counted as activity, and the tokens of every request told before its answer is stored. */
export function watched(
  transcript: Transcript,
  run: WorkerRun,
  { activity, spending: { count } }: Pick<WorkerParts, "activity" | "spending">,
): Transcript {
  return {
    get session() {
      return transcript.session;
    },
    messages: () => transcript.messages(),
    beginTurn: (message) => transcript.beginTurn(message),
    append: async (turn, messages, along) => {
      activity();
      if (along?.usage !== undefined) await count(along.usage.of, !messages.some(isTerminal));
      const stored = await transcript.append(turn, messages, along);
      for (const line of traceMessages(messages, run.deps.clock.now(), along?.usage?.of)) run.deps.trace(line);
      return stored;
    },
    draft: (turn, text) => transcript.draft(turn, text),
    event: (turn, kind, data) => {
      activity();
      return transcript.event(turn, kind, data);
    },
    addUsage: async (turn, usage, promptTokens) => {
      await count(usage, true);
      run.deps.trace(traceUsage(run.deps.clock.now(), usage));
      return transcript.addUsage(turn, usage, promptTokens);
    },
    setSystemPrompt: (prompt, model, provider) => transcript.setSystemPrompt(prompt, model, provider),
    nextSegment: (next) => transcript.nextSegment(next),
    previousSegment: (previous) => transcript.previousSegment(previous),
    addSideUsage: async (use, turn) => {
      await count(use.usage, true);
      return transcript.addSideUsage(use, turn);
    },
    record: (name) => transcript.record(name),
    setRecord: (name, json) => transcript.setRecord(name, json),
    endTurn: (turn, result) => transcript.endTurn(turn, result),
  };
}

const isTerminal = (message: NewMessage): boolean =>
  (message.toolCalls ?? []).some((call) => call.name === "kanban_complete" || call.name === "kanban_block");
