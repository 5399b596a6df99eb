import { toAppError } from "../../base/errors.js";
import type { MessageRecord, TurnResult } from "../../contracts/chat/chat.js";
import type {
  HookBus,
  HookFields,
  HookMessage,
  HookUsage,
  LlmExecution,
  LlmRequest,
} from "../../contracts/hooks/hooks.js";
import type { ChatMessage, FinishReason, ModelChoice, ModelRequest, Usage } from "../../contracts/models/model.js";
import { choiceOf } from "./failover.js";
import { askOnce, type RoundAnswer } from "./round.js";
import type { TurnState } from "./turn-state.js";
import type { TurnHooks } from "./turn-types.js";

type TurnPlace = Pick<TurnState, "id" | "deps">;

const idsOf = ({ id, deps }: TurnPlace, hooks: TurnHooks) => ({
  session_id: deps.transcript.session.id,
  task_id: hooks.task,
  turn_id: id,
});

const placeOf = (turn: TurnPlace, hooks: TurnHooks) => ({
  ...idsOf(turn, hooks),
  model: choiceOf(turn.deps).model,
  platform: hooks.platform,
});

const toHookMessage = (record: MessageRecord): HookMessage => ({
  role: record.role,
  content: record.content,
  ...(record.toolName === undefined ? {} : { name: record.toolName }),
  ...(record.toolCallId === undefined ? {} : { tool_call_id: record.toolCallId }),
  ...(record.toolCalls === undefined || record.toolCalls.length === 0
    ? {}
    : { tool_calls: record.toolCalls.map(({ id, name, arguments: given }) => ({ id, name, arguments: given })) }),
});

async function historyOf({ deps }: TurnPlace): Promise<HookMessage[]> {
  return (await deps.transcript.messages()).filter(({ active }) => active).map(toHookMessage);
}

/** What hooks add to the message of the user on the wire (core part, 2.1 step 10); undefined: nothing. */
export async function addedContext(turn: TurnState): Promise<string | undefined> {
  const { hooks } = turn.deps;
  if (hooks?.bus.has("pre_llm_call") !== true) return undefined;
  const history = await historyOf(turn);
  const before = history.slice(
    0,
    Math.max(
      0,
      history.findLastIndex(({ role }) => role === "user"),
    ),
  );
  return hooks.bus.preLlmCall(
    {
      ...placeOf(turn, hooks),
      user_message: turn.question,
      conversation_history: before,
      is_first_turn: !before.some(({ role }) => role === "user"),
      sender_id: hooks.sender,
    },
    turn.signal,
  );
}

/** The messages of a request with that context behind the words of the user. The stored message stays as it is. */
export function withContext(
  messages: readonly ChatMessage[],
  question: string,
  context: string | undefined,
): readonly ChatMessage[] {
  if (context === undefined) return messages;
  const said = question.trim();
  const at = messages.findLastIndex(({ role, content }) => role === "user" && content === said);
  const place = at >= 0 ? at : messages.findLastIndex(({ role }) => role === "user"); // a compaction has put it into other words
  return messages.map((message, index) =>
    index === place && message.role === "user" ? { ...message, content: `${message.content}\n\n${context}` } : message,
  );
}

/** One request with the hooks and middleware around it. */
export async function askThroughHooks(turn: TurnState, request: ModelRequest): Promise<RoundAnswer> {
  const { deps } = turn;
  const { hooks } = deps;
  if (hooks === undefined) return askOnce(deps, turn.id, request, turn.signal);
  const choice = choiceOf(deps);
  const changed = await requested(turn, hooks, choice, request);
  const fields = apiFields(turn, hooks, choice, changed);
  hooks.bus.tell("pre_api_request", fields);
  const started = deps.clock.mono();
  const answer = await executed(turn, hooks, choice, changed);
  tellAnswer(hooks.bus, { ...fields, duration_ms: Math.round(deps.clock.mono() - started) }, answer);
  return answer;
}

function apiFields(
  turn: TurnState,
  hooks: TurnHooks,
  { provider, model }: ModelChoice,
  request: ModelRequest,
): HookFields["pre_api_request"] {
  return {
    ...idsOf(turn, hooks),
    api_request_id: request.requestId,
    model,
    provider: provider.id,
    base_url: provider.baseUrl,
    api_mode: provider.mode ?? "",
    message_count: request.messages.length,
    tool_count: request.tools.length,
    prompt_tokens_estimate: request.promptTokens ?? 0,
  };
}

type Asked = HookFields["pre_api_request"] & { readonly duration_ms: number };

function tellAnswer(bus: HookBus, asked: Asked, answer: RoundAnswer): void {
  if (answer.ok) {
    bus.tell("post_api_request", { ...asked, finish_reason: answer.finish, usage: toHookUsage(answer.usage) });
    return;
  }
  const { class: kind, message, status = null } = answer.failure;
  bus.tell("api_request_error", { ...asked, error: { class: kind, message, status } });
}

const toHookUsage = (usage: Usage | undefined): HookUsage | null =>
  usage === undefined
    ? null
    : {
        input_tokens: usage.input,
        output_tokens: usage.output,
        cache_read_tokens: usage.cacheRead,
        cache_write_tokens: usage.cacheWrite,
        reasoning_tokens: usage.reasoning,
      };

const toLlmRequest = (
  turn: TurnState,
  hooks: TurnHooks,
  { provider }: ModelChoice,
  request: ModelRequest,
): LlmRequest => ({
  ...idsOf(turn, hooks),
  api_request_id: request.requestId,
  model: request.model,
  provider: provider.id,
  base_url: provider.baseUrl,
  messages: request.messages,
  tools: request.tools,
  ...(request.maxOutputTokens === undefined ? {} : { max_output_tokens: request.maxOutputTokens }),
  ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
});

/** What a middleware may change of a request. Where it goes, and with which credentials, stays. */
const withChanges = (request: ModelRequest, given: LlmRequest): ModelRequest => ({
  ...request,
  messages: given.messages,
  tools: given.tools,
  ...(given.max_output_tokens === undefined ? {} : { maxOutputTokens: given.max_output_tokens }),
  ...(given.temperature === undefined ? {} : { temperature: given.temperature }),
});

async function requested(
  turn: TurnState,
  hooks: TurnHooks,
  choice: ModelChoice,
  request: ModelRequest,
): Promise<ModelRequest> {
  const chain = hooks.bus.middleware("llm_request");
  if (chain === undefined) return request;
  try {
    const given = await chain.run(toLlmRequest(turn, hooks, choice, request), async (same) => same, turn.signal);
    if (!Array.isArray(given?.messages) || !Array.isArray(given.tools))
      throw new Error(`middleware of ${chain.sources.join(", ")} must answer with messages and tools`);
    return withChanges(request, given);
  } catch (error) {
    passedOver(turn, error);
    return request;
  }
}

/** The middleware failed: its request goes out as it was. */
function passedOver({ deps, signal }: TurnState, error: unknown): void {
  if (!signal.aborted)
    deps.log.warning("middleware failed; the call proceeds without it", { error: toAppError(error).message });
}

/** The request failed, not a middleware. */
class AnswerFailed extends Error {}

async function executed(
  turn: TurnState,
  hooks: TurnHooks,
  choice: ModelChoice,
  request: ModelRequest,
): Promise<RoundAnswer> {
  const { deps } = turn;
  const ask = (given: ModelRequest) => askOnce(deps, turn.id, given, turn.signal);
  const chain = hooks.bus.middleware("llm_execution");
  if (chain === undefined) return ask(request);
  let answer: RoundAnswer | undefined;
  const last = async (given: LlmRequest): Promise<LlmExecution> => {
    answer = await ask(withChanges(request, given));
    if (!answer.ok) throw new AnswerFailed();
    return toExecution(answer);
  };
  try {
    const given = await chain.run(toLlmRequest(turn, hooks, choice, request), last, turn.signal);
    return toAnswer(given, answer);
  } catch (error) {
    if (!(error instanceof AnswerFailed)) passedOver(turn, error);
    return answer ?? ask(request);
  }
}

type Answered = Extract<RoundAnswer, { ok: true }>;

const toExecution = ({ content, reasoning, finish, toolCalls, usage }: Answered): LlmExecution => ({
  content,
  reasoning,
  finish_reason: finish,
  tool_calls: toolCalls.map(({ id, name, arguments: given }) => ({ id, name, arguments: given })),
  usage: toHookUsage(usage),
});

/** What the middleware answers. What it has not changed stays the provider's own, signed parts among it. */
function toAnswer(given: LlmExecution, own: RoundAnswer | undefined): RoundAnswer {
  if (typeof given?.content !== "string" || !Array.isArray(given.tool_calls))
    throw new Error("llm_execution middleware must answer with content and tool_calls");
  if (own?.ok === true && JSON.stringify(toExecution(own)) === JSON.stringify(given)) return own;
  const known = new Map(own?.ok === true ? own.toolCalls.map((call) => [call.id, call]) : []);
  const toolCalls = given.tool_calls.map(({ id, name, arguments: args }) => ({
    ...known.get(id),
    id,
    name,
    arguments: args,
  }));
  const finish: FinishReason = toolCalls.length > 0 ? "tool_calls" : "stop";
  return {
    ok: true,
    finish: own?.ok === true && toolCalls.length === own.toolCalls.length ? own.finish : finish,
    content: given.content,
    reasoning: given.reasoning ?? "",
    toolCalls,
    usage: own?.ok === true ? own.usage : undefined,
  };
}

/** The answer as hooks leave it; undefined: as it is. */
export async function transformedAnswer(turn: TurnState, answer: string): Promise<string | undefined> {
  const { hooks, transcript, redact } = turn.deps;
  if (hooks?.bus.has("transform_llm_output") !== true || answer === "") return undefined;
  const { model, platform } = placeOf(turn, hooks);
  const fields = { response_text: answer, session_id: transcript.session.id, model, platform };
  const given = await hooks.bus.transform("transform_llm_output", fields, turn.signal);
  return given === undefined || given === answer ? undefined : redact(given);
}

/** Tell hooks of a finished turn. */
export async function tellAnswered(turn: TurnState, { final_response }: TurnResult): Promise<void> {
  const { hooks } = turn.deps;
  if (hooks?.bus.has("post_llm_call") !== true) return;
  hooks.bus.tell("post_llm_call", {
    ...placeOf(turn, hooks),
    user_message: turn.question,
    assistant_response: final_response,
    conversation_history: await historyOf(turn),
  });
}

/** Tell hooks that the loop of a turn is over. */
export function tellTurnEnded(turn: TurnState, { completed, interrupted, exit_reason }: TurnResult): void {
  const { hooks } = turn.deps;
  hooks?.bus.tell("on_session_end", { ...placeOf(turn, hooks), completed, interrupted, reason: exit_reason });
}
