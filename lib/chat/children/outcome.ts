import { toAppError } from "../../base/errors.js";
import type { Ms, SessionId } from "../../base/units.js";
import type { MessageRecord, SessionRecord, TurnResult } from "../../contracts/chat/chat.js";
import type { ChildResult, ChildStatus } from "../../tools/core/delegate-port.js";

/** Who stopped a child. */
export type StoppedBy = "parent" | "user" | "timeout";

/** What is known of a child that has ended. */
export interface EndedChild {
  readonly index: number;
  readonly session: SessionRecord | undefined;
  readonly messages: readonly MessageRecord[];
  readonly durationMs: Ms;
  readonly stoppedBy: StoppedBy | undefined;
  /** How its turn ended, or what kept it from one. */
  readonly how: { readonly result: TurnResult } | { readonly error: unknown };
}

/** The result of a child as its parent reads it. */
export function outcomeOf(ended: EndedChild): ChildResult {
  const { session, index, durationMs, messages } = ended;
  const verdict = verdictOf(ended);
  const result = "result" in ended.how ? ended.how.result : undefined;
  const cost = session?.estimated_cost_usd ?? undefined;
  return {
    task_index: index,
    status: verdict.status,
    summary: result?.final_response ?? "",
    api_calls: session?.api_call_count ?? 0,
    duration_seconds: Math.round(durationMs / 10) / 100,
    model: session?.model ?? "",
    exit_reason: verdict.reason,
    tokens: sumSessionTokens(session),
    ...(cost === undefined ? {} : { cost_usd: cost }),
    tool_trace: traceOf(messages),
    files_changed: result?.files_changed ?? [],
    session_id: session?.id ?? (null as SessionId | null),
    ...(result === undefined || result.denied.length === 0 ? {} : { denied: result.denied }),
    ...(verdict.error === undefined ? {} : { error: verdict.error }),
  };
}

/** Everything that the providers were given to read, and what they wrote. */
export function sumSessionTokens(session: SessionRecord | undefined): ChildResult["tokens"] {
  if (session === undefined) return { input: 0, output: 0 };
  return {
    input: session.input_tokens + session.cache_read_tokens + session.cache_write_tokens,
    output: session.output_tokens,
  };
}

interface Verdict {
  readonly status: ChildStatus;
  readonly reason: ChildResult["exit_reason"];
  readonly error?: string;
}

const BUDGETS: ReadonlySet<string> = new Set([
  "budget_exhausted",
  "max_iterations_reached",
  "time_limit_reached",
  "cost_limit_reached",
]);
const ANSWERS: ReadonlySet<string> = new Set([
  "text_response",
  "partial_stream_recovery",
  "fallback_prior_turn_content",
]);

function verdictOf({ how, stoppedBy }: EndedChild): Verdict {
  if (stoppedBy === "timeout") return { status: "timeout", reason: "timeout", error: "the child timed out" };
  if (stoppedBy === "user")
    return { status: "interrupted", reason: "interrupted", error: "the user stopped this child" };
  if (stoppedBy === "parent") return { status: "interrupted", reason: "interrupted" };
  if ("error" in how) return { status: "error", reason: "error", error: toAppError(how.error).message };
  const { result } = how;
  if (result.interrupted) return { status: "interrupted", reason: "interrupted" };
  if (BUDGETS.has(result.exit_reason))
    return { status: result.final_response === "" ? "failed" : "completed", reason: "max_iterations" };
  if (result.failed || !ANSWERS.has(result.exit_reason))
    return { status: "failed", reason: "error", error: result.error?.message ?? result.exit_reason };
  return result.final_response === ""
    ? { status: "failed", reason: "error", error: "the child did not answer" }
    : { status: "completed", reason: "completed" };
}

/** Calls of a long child that its parent is shown: the newest ones. */
const TRACE_AT_MOST = 50;

function traceOf(messages: readonly MessageRecord[]): ChildResult["tool_trace"] {
  const results = new Map(
    messages.flatMap((message) => (message.toolCallId === undefined ? [] : [[message.toolCallId, message] as const])),
  );
  return messages
    .flatMap((message) => message.toolCalls ?? [])
    .slice(-TRACE_AT_MOST)
    .map((call) => {
      const result = results.get(call.id);
      return {
        tool: call.name,
        args_bytes: Buffer.byteLength(call.arguments),
        result_bytes: Buffer.byteLength(result?.content ?? ""),
        status: result?.status ?? "interrupted",
      };
    });
}
