import { faultPoint } from "../base/fault.js";
import type { Ms, TurnId } from "../base/units.js";
import type { Along, NewMessage, TurnResult } from "../proto/chat.js";
import type { ToolCall } from "../proto/model.js";
import { estimateTokens } from "./estimate.js";
import { mutationFooter } from "./footer.js";
import { toWire } from "./request.js";
import { type Answer, askOnce } from "./round.js";
import { toolSchemas } from "./schemas.js";
import { addUsage, type Ending, newTally, type Tally, toResult } from "./tally.js";
import { newToolRounds, runToolRound, type ToolRounds, tellContext } from "./tool-round.js";
import type { TurnDeps, TurnInput } from "./turn-types.js";
import { judge, type Memory, newMemory } from "./verdict.js";

/** State of one running turn. */
interface Turn {
  readonly id: TurnId;
  readonly deps: TurnDeps;
  readonly signal: AbortSignal;
  readonly tally: Tally;
  readonly memory: Memory;
  readonly tools: ToolRounds;
  readonly started: Ms;
  rounds: number;
  asked: number;
  /** Counters of the last request, until they are stored: with the message that it gave, or by themselves. */
  used: Along["usage"];
}

/**
 * Work one turn: from the user message to the final answer (core part, 2). Every message is durable when it is made. Never rejects for
 * what a model or a tool does; a store that cannot be written ends it with that error.
 */
export async function runTurn(deps: TurnDeps, input: TurnInput, signal: AbortSignal): Promise<TurnResult> {
  const started = deps.clock.mono();
  const text = deps.redact(input.text.toWellFormed().replaceAll("\0", ""));
  const { turn: id } = await deps.transcript.beginTurn({ role: "user", content: text }, input.request);
  faultPoint("turn.opened");
  input.onTurn?.(id);
  for (const notice of input.notices ?? []) await tellContext(deps, id, notice);
  const turn: Turn = {
    id,
    deps,
    signal,
    tally: newTally(),
    memory: newMemory(input.wireOnly),
    tools: newToolRounds(),
    started,
    rounds: 0,
    asked: 0,
    used: undefined,
  };
  return finish(turn, await work(turn));
}

async function work(turn: Turn): Promise<Ending> {
  const { deps, signal } = turn;
  while (turn.rounds < deps.maxRounds) {
    if (signal.aborted) return interrupted(turn, "interrupted_by_user", "");
    if (deps.maxMs > 0 && deps.clock.mono() - turn.started > deps.maxMs)
      return summarise(turn, "time_limit_reached", `${deps.maxMs / 1000} s`);
    turn.rounds += 1;
    const answer = await ask(turn, true);
    if (!answer.ok) return failed(turn, answer);
    const verdict = judge(answer, turn.memory, turn.tools.count > 0);
    if (verdict.do === "end") return verdict.ending;
    if (verdict.do === "tools") {
      const ending = await callTools(turn, answer, verdict.calls);
      if (ending) return ending;
    }
  }
  return summarise(turn, "max_iterations_reached", `(${turn.rounds}/${deps.maxRounds}) agent.max_turns`);
}

async function ask(turn: Turn, withTools: boolean): Promise<Answer> {
  const { deps, memory } = turn;
  await storeUsage(turn);
  turn.asked += 1;
  const stored = await deps.transcript.messages();
  const messages = toWire(deps.system, stored, memory.wireOnly);
  const tools = withTools ? toolSchemas(deps.tools) : [];
  const request = {
    ...{ requestId: `${turn.id}:r${turn.asked}`, model: deps.choice.model, messages, tools },
    ...{ cacheKey: deps.transcript.session.lineage_root, window: deps.choice.window, promptTokens: estimateTokens(messages, tools) },
    ...(memory.cap === undefined ? {} : { maxOutputTokens: memory.cap }),
  };
  const answer = await askOnce(deps, turn.id, request, turn.signal);
  turn.tally.apiCalls += 1;
  if (answer.ok && answer.usage) turn.used = { of: answer.usage, promptTokens: addUsage(turn.tally, answer.usage) };
  return answer;
}

/** Store a message with the counters of its request, in one commit. */
async function append(turn: Turn, message: NewMessage): Promise<void> {
  const { used } = turn;
  turn.used = undefined;
  await turn.deps.transcript.append(turn.id, [message], used && { usage: used });
}

/** The last request gave no message of its own. */
async function storeUsage(turn: Turn): Promise<void> {
  const { used } = turn;
  turn.used = undefined;
  if (used) await turn.deps.transcript.addUsage(turn.id, used.of, used.promptTokens);
}

async function callTools(turn: Turn, answer: Extract<Answer, { ok: true }>, calls: readonly ToolCall[]): Promise<Ending | undefined> {
  const { deps } = turn;
  await append(turn, {
    role: "assistant",
    content: deps.redact(answer.content.trim()),
    toolCalls: calls.map((call) => ({ ...call, arguments: deps.redact(call.arguments) })),
    finishReason: answer.finish,
    ...(answer.reasoning === "" ? {} : { reasoning: deps.redact(answer.reasoning) }),
  });
  faultPoint("turn.calls-committed");
  turn.memory.wireOnly = [];
  turn.memory.nudged = false;
  const stop = await runToolRound(turn.tools, { deps, turn: turn.id, calls, tally: turn.tally, signal: turn.signal });
  if (stop) return { ...stop, answer: stop.answer === "" ? answer.content.trim() : stop.answer };
  return turn.signal.aborted ? interrupted(turn, "interrupted_by_user", "") : undefined;
}

async function failed(turn: Turn, answer: Extract<Answer, { ok: false }>): Promise<Ending> {
  const { failure, partial } = answer;
  if (turn.signal.aborted || failure.class === "aborted") return interrupted(turn, "interrupted_during_api_call", partial);
  const hint =
    failure.class === "content_policy_blocked" ? "rephrase the request, or choose another model" : "agent doctor checks the provider";
  return {
    reason: failure.class === "content_policy_blocked" ? "content_policy_blocked" : "all_retries_exhausted_no_response",
    answer: [...turn.memory.parts, partial].join(""),
    partial: partial !== "",
    failure: {
      ...{ class: failure.class, message: failure.message, hint: failure.hint ?? hint },
      ...(failure.retryAfterMs === undefined ? {} : { retryAfterMs: failure.retryAfterMs }),
    },
  };
}

function interrupted(turn: Turn, reason: "interrupted_by_user" | "interrupted_during_api_call", partial: string): Ending {
  return { reason, answer: [...turn.memory.parts, partial].join(""), partial: true };
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
  if (answer !== "" && ending.reason !== "empty_response_exhausted") {
    const finishReason = wasInterrupted ? "interrupted" : ending.reason === "truncated" ? "length" : "stop";
    await append(turn, { role: "assistant", content: answer, finishReason, ...reasoning(deps, ending) });
  }
  await storeUsage(turn);
  const footer = deps.verifyMutations && !wasInterrupted && answer !== "" ? mutationFooter(turn.tally) : "";
  const facts = { session: deps.transcript.session, turn: turn.id, choice: deps.choice, durationMs: deps.clock.mono() - turn.started };
  const result = toResult({ ...ending, answer: footer === "" ? answer : `${answer}\n\n${footer}` }, turn.tally, facts);
  await deps.transcript.endTurn(turn.id, result);
  faultPoint("turn.ended");
  return result;
}

const reasoning = (deps: TurnDeps, ending: Ending) => (ending.reasoning ? { reasoning: deps.redact(ending.reasoning) } : {});
