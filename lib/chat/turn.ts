import { faultPoint } from "../base/fault.js";
import type { TurnResult } from "../proto/chat.js";
import type { ToolCall } from "../proto/model.js";
import { mutationFooter } from "./footer.js";
import { storedReplay } from "./replay.js";
import type { Answer } from "./round.js";
import { choiceOf } from "./serving.js";
import { type Ending, newTally, toResult } from "./tally.js";
import { newToolRounds, runToolRound, tellContext } from "./tool-round.js";
import { append, ask, failed, interrupted, otherModel, storeUsage, type Turn, tellOf } from "./turn-ask.js";
import type { TurnDeps, TurnInput } from "./turn-types.js";
import { judge, newMemory } from "./verdict.js";

/**
 * Work one turn: from the user message to the final answer (core part, 2). Every message is durable when it is made. Never rejects for
 * what a model or a tool does; a store that cannot be written ends it with that error.
 */
export async function runTurn(deps: TurnDeps, input: TurnInput, signal: AbortSignal): Promise<TurnResult> {
  const started = deps.clock.mono();
  const text = deps.redact(input.text.toWellFormed().replaceAll("\0", ""));
  const { turn: id } = await deps.transcript.beginTurn({ role: "user", content: text }, input.request, input.item);
  faultPoint("turn.opened");
  input.onTurn?.(id);
  deps.files?.begin(id);
  for (const notice of input.notices ?? []) await tellContext(deps, id, notice);
  const turn: Turn = {
    id,
    deps,
    signal,
    tally: newTally(),
    memory: newMemory(input.wireOnly),
    wireOnly: input.wireOnly ?? [],
    question: text,
    tools: newToolRounds(),
    started,
    rounds: 0,
    asked: 0,
    used: undefined,
  };
  await deps.serving?.begin(tellOf(turn));
  return finish(turn, await work(turn));
}

async function work(turn: Turn): Promise<Ending> {
  const { deps, signal } = turn;
  while (turn.rounds < deps.maxRounds) {
    if (signal.aborted) return interrupted(turn, "interrupted_by_user", "");
    if (deps.maxMs > 0 && deps.clock.mono() - turn.started - (deps.waited?.() ?? 0) > deps.maxMs)
      return summarise(turn, "time_limit_reached", `${deps.maxMs / 1000} s`);
    turn.rounds += 1;
    const answer = await ask(turn, true);
    if (!answer.ok) return failed(turn, answer);
    const verdict = judge(answer, turn.memory, factsOf(turn));
    if (verdict.do === "end") {
      if (await otherModel(turn, verdict.ending)) continue;
      return verdict.ending;
    }
    if (verdict.do === "tools") {
      const ending = await callTools(turn, answer, verdict.calls);
      if (ending) return ending;
    }
  }
  return summarise(turn, "max_iterations_reached", `(${turn.rounds}/${deps.maxRounds}) agent.max_turns`);
}

/** Calls beside which a text is likely the answer (core part, 2.4). */
const HOUSEKEEPING: ReadonlySet<string> = new Set(["memory", "todo", "skill_manage", "session_search"]);

const factsOf = (turn: Turn) => ({
  afterTools: turn.tools.count > 0,
  traits: choiceOf(turn.deps).provider.traits ?? {},
  question: turn.question,
});

async function callTools(turn: Turn, answer: Extract<Answer, { ok: true }>, calls: readonly ToolCall[]): Promise<Ending | undefined> {
  const { deps } = turn;
  await append(turn, {
    role: "assistant",
    content: deps.redact(answer.content.trim()),
    toolCalls: calls.map((call) => ({ ...call, arguments: deps.redact(call.arguments) })),
    finishReason: answer.finish,
    ...(answer.reasoning === "" ? {} : { reasoning: deps.redact(answer.reasoning) }),
    ...storedReplay(answer.replay, deps.redact),
  });
  faultPoint("turn.calls-committed");
  turn.memory.wireOnly = [];
  turn.memory.nudged = false;
  turn.memory.prior = calls.every((call) => HOUSEKEEPING.has(call.name)) ? answer.content.trim() : "";
  const stop = await runToolRound(turn.tools, { deps, turn: turn.id, calls, tally: turn.tally, signal: turn.signal });
  if (stop) return { ...stop, answer: stop.answer === "" ? answer.content.trim() : stop.answer };
  return turn.signal.aborted ? interrupted(turn, "interrupted_by_user", "") : undefined;
}

/** A budget is spent: one request without tools asks what was done and what is left (core part, 10). */
async function summarise(turn: Turn, reason: "max_iterations_reached" | "time_limit_reached", budget: string): Promise<Ending> {
  await turn.deps.transcript.event(turn.id, "notice", {
    level: "warning",
    code: reason,
    text: `The limit of this turn is reached: ${budget}.`,
  });
  const request =
    "The limit of this turn is reached and no more tools can be called. Sum up what was done, what was found, and what is left to do.";
  turn.memory.wireOnly = [...turn.memory.wireOnly, { role: "user", content: request }];
  for (let attempt = 0; attempt < 2; attempt++) {
    const answer = await ask(turn, false);
    if (!answer.ok) return failed(turn, answer);
    if (answer.content.trim() !== "") return { reason, answer: answer.content, partial: true, ...spent(turn, reason) };
  }
  return { reason, answer: "The limit was reached and no summary could be written.", partial: true, ...spent(turn, reason) };
}

const spent = (turn: Turn, reason: Ending["reason"]): Pick<Ending, "budget"> =>
  reason === "max_iterations_reached" ? { budget: { used: turn.rounds, max: turn.deps.maxRounds } } : {};

/** Store the answer, then the end. What is shown carries the footer; what is stored does not. */
async function finish(turn: Turn, ending: Ending): Promise<TurnResult> {
  const { deps } = turn;
  const answer = deps.redact(ending.answer.trim());
  const wasInterrupted = ending.reason.startsWith("interrupted");
  if (answer !== "" && ending.reason !== "empty_response_exhausted" && ending.stored !== true) {
    const finishReason = wasInterrupted ? "interrupted" : ending.reason === "truncated" ? "length" : "stop";
    await append(turn, {
      role: "assistant",
      content: answer,
      finishReason,
      ...reasoning(deps, ending),
      ...storedReplay(ending.replay, deps.redact),
    });
  }
  await storeUsage(turn);
  const footer = deps.verifyMutations && !wasInterrupted && answer !== "" ? mutationFooter(turn.tally) : "";
  const pending = await deps.steer?.close();
  const facts = { session: deps.transcript.session, turn: turn.id, choice: choiceOf(deps), durationMs: deps.clock.mono() - turn.started };
  const told = { ...ending, answer: footer === "" ? answer : `${answer}\n\n${footer}` };
  const result = { ...toResult(told, turn.tally, facts), ...(pending === undefined ? {} : { pending_steer: pending }) };
  await deps.files?.end();
  await deps.transcript.endTurn(turn.id, result);
  faultPoint("turn.ended");
  return result;
}

const reasoning = (deps: TurnDeps, ending: Ending) => (ending.reasoning ? { reasoning: deps.redact(ending.reasoning) } : {});
