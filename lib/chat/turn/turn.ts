import { AppError } from "../../base/errors.js";
import { faultPoint } from "../../base/fault.js";
import { LIMITS } from "../../base/limits.js";
import type { TurnResult } from "../../contracts/chat/chat.js";
import type { ToolCall } from "../../contracts/models/model.js";
import type { ContextNotice } from "../../tools/run/read.js";
import { judgeAnswer, newAnswerMemory } from "./answer-policy.js";
import { budgetsOf, renderBudgetWarning, spentOf, type TurnBudget } from "./budget.js";
import { shownAnswer } from "./completion.js";
import { choiceOf } from "./failover.js";
import { mutationFooter } from "./footer.js";
import { interruptionLine } from "./interruption.js";
import { storedReplay } from "./replay.js";
import type { RoundAnswer } from "./round.js";
import { beginRoundCommit } from "./round-commit.js";
import { workByRuntime } from "./runtime-turn.js";
import { newToolRounds, runToolRound, tellContext } from "./tool-round.js";
import { appendWithUsage, ask, endInterrupted, failed, otherModel, storeUsage, tellOf, usedBy } from "./turn-ask.js";
import { addedContext, tellAnswered, tellTurnEnded, transformedAnswer } from "./turn-hooks.js";
import type { TurnState } from "./turn-state.js";
import type { TurnDeps, TurnInput } from "./turn-types.js";
import { INTERRUPTED, newTurnUsage, type TurnEnding, toResult } from "./turn-usage.js";

/**
 * Work one turn: from the user message to the final answer (core part, 2). Every message is durable when it is made. Never rejects for
 * what a model or a tool does; a store that cannot be written ends it with that error.
 */
export async function runTurn(deps: TurnDeps, input: TurnInput, signal: AbortSignal): Promise<TurnResult> {
  const started = deps.clock.mono();
  const text = deps.redact(input.text.toWellFormed().replaceAll("\0", ""));
  const { pictures = [] } = input;
  const said = { role: "user", content: text, ...(pictures.length === 0 ? {} : { pictures }) } as const;
  const { turn: id } = await deps.transcript.beginTurn(said, input.request, input.item);
  faultPoint("turn.opened");
  input.onTurn?.(id);
  deps.files?.begin(id);
  for (const notice of input.notices ?? []) await tellContext(deps, id, notice);
  const turn: TurnState = {
    id,
    deps,
    signal,
    turnUsage: newTurnUsage(),
    memory: newAnswerMemory(input.wireOnly),
    wireOnly: input.wireOnly ?? [],
    question: text,
    pictures: pictures.map(({ path }) => path),
    context: undefined,
    tools: newToolRounds(),
    started,
    rounds: 0,
    uncounted: 0,
    warned: new Set(),
    asked: 0,
    used: undefined,
  };
  await deps.failover?.begin(tellOf(turn));
  turn.context = await addedToWords(turn);
  const runtime = runtimeOf(deps);
  return finish(turn, await (runtime === undefined ? work(turn) : workByRuntime(turn, runtime)));
}

/** A model that has taken over for the chosen one is asked by the loop. */
const runtimeOf = (deps: TurnDeps): TurnDeps["runtime"] =>
  choiceOf(deps).provider.id === deps.choice.provider.id ? deps.runtime : undefined;

const saidIn = ({ deps, question }: TurnState) => ({
  sessionId: deps.transcript.session.id,
  profile: deps.transcript.session.profile,
  text: question,
});

/** What hooks and the memory of a plugin add to the words of the user on the wire (core part, 2.1 steps 10 and 11). */
async function addedToWords(turn: TurnState): Promise<string | undefined> {
  const { hooks, recollect } = turn.deps;
  const hooked = hooks === undefined ? undefined : await addedContext(turn);
  const known = await recollect?.begin(saidIn(turn), turn.signal);
  const parts = [hooked, known === undefined ? undefined : turn.deps.redact(known)].filter(
    (part) => part !== undefined,
  );
  return parts.length === 0 ? undefined : parts.join("\n\n");
}

async function work(turn: TurnState): Promise<TurnEnding> {
  const { signal } = turn;
  for (;;) {
    if (signal.aborted) return endInterrupted(turn, "interrupted_by_user", "");
    const budgets = await budgetsOf(turn);
    const spent = spentOf(budgets);
    if (spent) return summarise(turn, spent);
    const warning = renderBudgetWarning(budgets, turn.warned);
    if (warning !== undefined) turn.memory.wireOnly = [...turn.memory.wireOnly, { role: "user", content: warning }];
    const answer = await ask(turn, true);
    if (!answer.ok) return failed(turn, answer);
    const verdict = judgeAnswer(answer, turn.memory, factsOf(turn));
    if (verdict.do === "end") {
      if (await otherModel(turn, verdict.ending)) continue;
      return verdict.ending;
    }
    if (verdict.do === "tools") {
      const ending = await callTools(turn, answer, verdict.calls);
      if (ending) return ending;
    }
  }
}

/** Calls beside which a text is likely the answer (core part, 2.4). */
const HOUSEKEEPING: ReadonlySet<string> = new Set(["memory", "todo", "skill_manage", "session_search"]);

const factsOf = (turn: TurnState) => ({
  afterTools: turn.tools.count > 0,
  traits: choiceOf(turn.deps).provider.traits ?? {},
  question: turn.question,
});

async function callTools(
  turn: TurnState,
  answer: Extract<RoundAnswer, { ok: true }>,
  calls: readonly ToolCall[],
): Promise<TurnEnding | undefined> {
  const { deps } = turn;
  count(turn, calls);
  const message = {
    role: "assistant" as const,
    content: deps.redact(answer.content.trim()),
    toolCalls: calls.map((call) => ({ ...call, arguments: deps.redact(call.arguments) })),
    finishReason: answer.finish,
    ...(answer.reasoning === "" ? {} : { reasoning: deps.redact(answer.reasoning) }),
    ...storedReplay(answer.replay, deps.redact),
  };
  turn.turnUsage.saidChars += [...message.content].length;
  const commit = beginRoundCommit(deps, turn.id, message, usedBy(turn));
  turn.memory.wireOnly = [];
  turn.memory.nudged = false;
  turn.memory.prior = calls.every((call) => HOUSEKEEPING.has(call.name)) ? answer.content.trim() : "";
  const stop = await runToolRound(turn.tools, {
    deps,
    turn: turn.id,
    calls,
    commit,
    turnUsage: turn.turnUsage,
    request: `${turn.id}:r${turn.asked}`,
    signal: turn.signal,
  });
  if (stop) return { ...stop, answer: stop.answer === "" ? answer.content.trim() : stop.answer };
  return turn.signal.aborted ? endInterrupted(turn, "interrupted_by_user", "") : undefined;
}

/** Rounds that call nothing but execute_code do not count, up to a bound that only a model without end meets (core part, 10). */
function count(turn: TurnState, calls: readonly ToolCall[]): void {
  if (calls.every(({ name }) => name === "execute_code") && turn.uncounted < LIMITS.uncountedRounds)
    turn.uncounted += 1;
  else turn.rounds += 1;
}

const NO_SUMMARY = "The limit was reached and no summary could be written.";

/** A budget is spent: one request without tools asks what was done and what is left (core part, 10). */
async function summarise(turn: TurnState, { reason, used, max, shown }: TurnBudget): Promise<TurnEnding> {
  const budget = { used, max };
  await tellUser(turn, { level: "warning", text: `The limit is reached: ${shown}.` }, reason);
  // Money that is spent before the first request is not spent once more for a summary of nothing.
  if (turn.asked === 0)
    return { reason, answer: `Nothing was done: the limit is reached ${shown}.`, partial: true, budget };
  const request =
    "The limit is reached and no more tools can be called. Sum up what was done, what was found, and what is left to do.";
  turn.memory.wireOnly = [...turn.memory.wireOnly, { role: "user", content: request }];
  for (let attempt = 0; attempt < 2; attempt++) {
    const answer = await ask(turn, false);
    if (!answer.ok) return failed(turn, answer);
    if (answer.content.trim() !== "") return { reason, answer: answer.content, partial: true, budget };
  }
  return { reason, answer: NO_SUMMARY, partial: true, budget };
}

/** A durable notice of the turn, and a line for its viewers. */
async function tellUser({ deps, id }: TurnState, notice: ContextNotice, code: string): Promise<void> {
  deps.onNotice?.(notice);
  await deps.transcript.event(id, "notice", { ...notice, code });
}

/** Store the answer, then the end. What is shown carries the footer; what is stored does not. */
async function finish(turn: TurnState, ending: TurnEnding): Promise<TurnResult> {
  const { deps } = turn;
  const answer = deps.redact(ending.answer.trim());
  const wasInterrupted = INTERRUPTED.includes(ending.reason);
  if (answer !== "" && ending.reason !== "empty_response_exhausted" && ending.stored !== true) {
    const finishReason = wasInterrupted ? "interrupted" : ending.reason === "truncated" ? "length" : "stop";
    await appendWithUsage(turn, {
      role: "assistant",
      content: answer,
      finishReason,
      ...reasoning(deps, ending),
      ...storedReplay(ending.replay, deps.redact),
    });
  }
  if (wasInterrupted && answer === "" && isStopped(turn))
    await appendWithUsage(turn, { role: "assistant", content: "", finishReason: "interrupted" });
  await storeUsage(turn);
  const footer = deps.verifyMutations && !wasInterrupted && answer !== "" ? mutationFooter(turn.turnUsage) : "";
  const pending = await deps.steer?.close();
  const durationMs = deps.clock.mono() - turn.started;
  if (wasInterrupted && ending.reason !== "owner_stopped") {
    const text = interruptionLine(
      durationMs,
      turn.turnUsage.saidChars + (ending.stored === true ? 0 : [...answer].length),
      turn.turnUsage.calls,
    );
    await tellUser(turn, { level: "warning", text: deps.redact(text) }, "interrupted");
  }
  const facts = { session: deps.transcript.session, turn: turn.id, choice: choiceOf(deps), durationMs };
  const shown = [shownAnswer(ending, answer, deps.explainCompletion), footer]
    .filter((part) => part !== "")
    .join("\n\n");
  const transformed = wasInterrupted ? undefined : await transformedAnswer(turn, shown);
  const result = {
    ...toResult({ ...ending, answer: transformed ?? shown }, turn.turnUsage, facts),
    ...(transformed === undefined ? {} : { response_transformed: true }),
    ...(pending === undefined ? {} : { pending_steer: pending }),
  };
  if (!wasInterrupted) await tellAnswered(turn, result);
  await deps.files?.end();
  await deps.transcript.endTurn(turn.id, result);
  faultPoint("turn.ended");
  tellTurnEnded(turn, result);
  if (!wasInterrupted) deps.recollect?.ended({ ...saidIn(turn), answer: result.final_response });
  return result;
}

/**
 * The turn was stopped before it had any output, and not because a further message is already there. The empty answer that is stored then tells
 * the model so (`request.ts`): otherwise the next message would reach it together with the stopped one.
 */
function isStopped({ signal, turnUsage }: TurnState): boolean {
  const { reason: why } = signal;
  const data = why instanceof AppError ? why.data : {};
  return data["by"] !== "owner" && data["followed"] !== true && turnUsage.toolCalls === 0;
}

const reasoning = (deps: TurnDeps, ending: TurnEnding) =>
  ending.reasoning ? { reasoning: deps.redact(ending.reasoning) } : {};
