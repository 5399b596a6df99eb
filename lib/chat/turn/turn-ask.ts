import { AppError } from "../../base/errors.js";
import type { Along, NewMessage } from "../../contracts/chat/chat.js";
import type { ModelFailure, ToolSchema } from "../../contracts/models/model.js";
import { estimateTokens } from "../tokens/estimate.js";
import { toolSchemas } from "../tokens/schemas.js";
import { newAnswerMemory } from "./answer-policy.js";
import { choiceOf, recover } from "./failover.js";
import { toWire } from "./request.js";
import type { RoundAnswer } from "./round.js";
import { askThroughHooks, withContext } from "./turn-hooks.js";
import type { TurnState } from "./turn-state.js";
import type { TellModelChange, TurnDeps } from "./turn-types.js";
import { addTurnUsage, type TurnEnding } from "./turn-usage.js";

/** A refusal, or nothing but empty answers: the next provider is asked, from the beginning of the round. */
export async function otherModel(turn: TurnState, { failure }: TurnEnding): Promise<boolean> {
  const { failover } = turn.deps;
  if (failover === undefined || turn.signal.aborted) return false;
  if (failure?.class !== "content_policy_blocked" && failure?.class !== "empty_response") return false;
  if (!(await failover.takeOver({ class: failure.class }, tellOf(turn)))) return false;
  turn.memory = newAnswerMemory(turn.tools.count > 0 ? [] : turn.wireOnly);
  turn.deps.live("text.reset", {});
  return true;
}

/** One answer, from any provider that can give it: with a smaller conversation, or from another provider. */
export async function ask(turn: TurnState, withTools: boolean): Promise<RoundAnswer> {
  const room = { made: 0 };
  for (;;) {
    const answer = await askServing(turn, withTools);
    if (answer.ok || !(await recover(turn.deps, tellOf(turn), answer.failure, { room, signal: turn.signal })))
      return answer;
    if (answer.partial !== "") turn.deps.live("text.reset", {});
  }
}

/** Reports the models that serve a turn: durable events of it, and a line for its viewers. */
export const tellOf =
  ({ deps, id }: TurnState): TellModelChange =>
  async (kind, data) => {
    await deps.transcript.event(id, kind, data);
    if (kind === "notice") deps.onNotice?.({ level: "warning", text: String(data["text"]) });
  };

async function askServing(turn: TurnState, withTools: boolean): Promise<RoundAnswer> {
  const { deps, memory } = turn;
  const choice = choiceOf(deps);
  await storeUsage(turn);
  turn.asked += 1;
  const tools = withTools ? toolSchemas(deps.tools) : [];
  const system = await compacted(turn, tools);
  const stored = await deps.transcript.messages();
  const messages = withContext(toWire(system, stored, memory.wireOnly), turn.question, turn.context);
  const request = {
    requestId: `${turn.id}:r${turn.asked}`,
    model: choice.model,
    messages,
    tools,
    cacheKey: deps.transcript.session.lineage_root,
    window: choice.window,
    promptTokens: estimateTokens(messages, tools),
    ...deps.thinking,
    ...(memory.cap === undefined ? {} : { maxOutputTokens: memory.cap }),
  };
  const sent = stored.length; // the list grows with what is stored
  const answer = await askThroughHooks(turn, request);
  turn.turnUsage.apiCalls += 1;
  if (answer.ok && answer.usage)
    turn.used = { of: answer.usage, promptTokens: addTurnUsage(turn.turnUsage, answer.usage) };
  if (answer.ok) deps.compaction?.counted(sent, turn.used?.promptTokens ?? request.promptTokens);
  return answer;
}

/** Keep the conversation within its window. @returns the system prompt that the request has to have */
async function compacted(
  { id: turn, deps, asked, turnUsage, signal }: TurnState,
  tools: readonly ToolSchema[],
): Promise<string> {
  if (deps.compaction === undefined) return deps.system;
  return deps.compaction.before({
    turn,
    first: asked === 1,
    choice: choiceOf(deps),
    tools,
    changed: turnUsage.changed,
    signal,
  });
}

/** Store a message with the counters of its request, in one commit. */
export async function appendWithUsage(turn: TurnState, message: NewMessage): Promise<void> {
  const usage = usedBy(turn);
  await turn.deps.transcript.append(turn.id, [message], usage && { usage });
}

/** Counters of the last request, for the message that it gave. */
export function usedBy(turn: TurnState): Along["usage"] {
  const { used } = turn;
  turn.used = undefined;
  return used;
}

/** The last request gave no message of its own. */
export async function storeUsage(turn: TurnState): Promise<void> {
  const used = usedBy(turn);
  if (used) await turn.deps.transcript.addUsage(turn.id, used.of, used.promptTokens);
}

/** The end of a turn whose request no provider could answer. */
export async function failed(turn: TurnState, answer: Extract<RoundAnswer, { ok: false }>): Promise<TurnEnding> {
  const { failure, partial } = answer;
  const { deps } = turn;
  if (turn.signal.aborted || failure.class === "aborted")
    return endInterrupted(turn, "interrupted_during_api_call", partial);
  const hint =
    failure.class === "content_policy_blocked"
      ? "rephrase the request, or choose another model"
      : "agent doctor checks the provider";
  return {
    reason: failure.class === "content_policy_blocked" ? "content_policy_blocked" : "all_retries_exhausted_no_response",
    answer: [...turn.memory.parts, partial].join(""),
    partial: partial !== "",
    failure: {
      class: failure.class,
      message: deps.redact(failure.message),
      hint: lastWords(deps, failure, hint),
      ...(failure.retryAfterMs === undefined ? {} : { retryAfterMs: failure.retryAfterMs }),
    },
  };
}

/** What was tried, and what to do next (core part, 4.1). */
function lastWords({ failover }: TurnDeps, { tried = [], hint, fallback }: ModelFailure, otherwise: string): string {
  const all = [...tried, ...(failover?.tried ?? [])];
  const more = fallback === true && all.length === tried.length ? "; agent fallback add adds a fallback provider" : "";
  return `${all.length === 0 ? "" : `Tried: ${all.join(", ")}. `}${hint ?? otherwise}${more}`;
}

/** The end of a turn that was stopped; what had streamed is kept. */
export function endInterrupted(
  turn: TurnState,
  reason: "interrupted_by_user" | "interrupted_during_api_call",
  partial: string,
): TurnEnding {
  const { reason: why } = turn.signal;
  const owner = why instanceof AppError && why.data["by"] === "owner";
  return { reason: owner ? "owner_stopped" : reason, answer: [...turn.memory.parts, partial].join(""), partial: true };
}
