import type { Clock } from "../../base/time/clock.js";
import type { Ms, SessionId } from "../../base/units.js";
import type { SideUse } from "../../contracts/chat/compact.js";
import type { AuxClient } from "../../contracts/models/auxiliary.js";
import { type ModelChoice, type ModelEvent, NO_USAGE } from "../../contracts/models/model.js";
import { toTokens } from "../tokens/estimate.js";
import type { AskModel } from "../turn/turn-types.js";
import type { SummaryQuestion } from "./summarise.js";

/** Milliseconds after a failure in which no model is asked (core part, 8.3): none was found, it could not just then, or it refused. */
const HOLDS = { none: 600_000, transient: 60_000, other: 30_000 } as const;
const TRANSIENT: ReadonlySet<string> = new Set([
  "rate_limit",
  "overloaded",
  "server_error",
  "timeout",
  "endless_answer",
  "empty_stream",
]);
const TEMPERATURE = 0.2;
/** Conversations whose hold is remembered. */
const REMEMBERED = 1_000;

export interface SummariserDeps {
  readonly clock: Clock;
  /** The model of the slot `compression`. */
  readonly side?: AuxClient["ask"] | undefined;
  /** The model of the conversation, when that cannot. */
  readonly ask: AskModel;
}

export type Summary =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly why: string; readonly aborted: boolean };

export interface SummaryAsk {
  readonly lineage: SessionId;
  readonly choice: ModelChoice;
  readonly signal: AbortSignal;
  /** Called for each request that was answered. */
  used(use: SideUse): Promise<void>;
}

/** Asks models for summaries, and leaves them alone for a while after they failed. Of one process. */
export interface Summariser {
  summarise(question: SummaryQuestion, ask: SummaryAsk): Promise<Summary>;
  /** No model is asked for this conversation at the moment. */
  holds(lineage: SessionId): boolean;
}

type Failed = { readonly why: string; readonly class: string };

export function createSummariser(deps: SummariserDeps): Summariser {
  const until = new Map<SessionId, Ms>();
  const holds = (lineage: SessionId) => (until.get(lineage) ?? 0) > deps.clock.mono();
  const hold = (lineage: SessionId, ms: Ms) => {
    until.delete(lineage);
    until.set(lineage, deps.clock.mono() + ms);
    const [oldest] = until.keys();
    if (until.size > REMEMBERED && oldest !== undefined) until.delete(oldest);
  };
  return {
    holds,
    summarise: async (question, ask) => {
      if (holds(ask.lineage)) return { ok: false, why: "the last summary failed recently", aborted: false };
      const first = await bySide(deps, question, ask);
      if (typeof first === "string") return { ok: true, text: first };
      if (ask.signal.aborted) return { ok: false, why: "interrupted", aborted: true };
      const second = await byMain(deps, question, ask);
      if (typeof second === "string") return { ok: true, text: second };
      if (ask.signal.aborted) return { ok: false, why: "interrupted", aborted: true };
      hold(
        ask.lineage,
        second.class === "none" ? HOLDS.none : TRANSIENT.has(second.class) ? HOLDS.transient : HOLDS.other,
      );
      return { ok: false, why: second.why, aborted: false };
    },
  };
}

async function bySide(
  { side }: SummariserDeps,
  question: SummaryQuestion,
  { signal, used }: SummaryAsk,
): Promise<string | Failed> {
  if (side === undefined) return { class: "none", why: "no auxiliary client" };
  const answer = await side({ slot: "compression", temperature: TEMPERATURE, ...question }, signal);
  if (!answer.ok)
    return answer.why === "failed"
      ? { class: answer.class, why: answer.message }
      : { class: "none", why: "no auxiliary client" };
  if (answer.used !== undefined) await used({ slot: "compression", ...answer.used });
  return answer.text.trim() === "" ? { class: "empty_stream", why: "the summary was empty" } : answer.text;
}

/** The model of the conversation itself; the offline stand-in summarises nothing. */
async function byMain(
  { ask }: SummariserDeps,
  question: SummaryQuestion,
  { choice, signal, used, lineage }: SummaryAsk,
): Promise<string | Failed> {
  if (choice.provider.id === "offline") return { class: "none", why: "no model is configured" };
  const { system, user, maxOutputTokens } = question;
  const request = {
    requestId: `${lineage}:summary`,
    model: choice.model,
    messages: [
      { role: "system", content: system },
      { role: "user", content: user },
    ],
    tools: [],
    maxOutputTokens,
    window: choice.window,
    promptTokens: toTokens(system.length + user.length),
  } as const;
  let end: ModelEvent | undefined;
  for await (const event of ask(choice, request, signal))
    if (event.type === "done" || event.type === "failed") end = event;
  if (end?.type !== "done") {
    const failure = end?.type === "failed" ? end.failure : undefined;
    return { class: failure?.class ?? "unknown", why: failure?.message ?? "the provider ended without an answer" };
  }
  await used({ slot: "compression", model: end.model, provider: choice.provider.id, usage: end.usage ?? NO_USAGE });
  const whole = end.finish !== "dropped" && end.finish !== "content_filter" && end.content.trim() !== "";
  return whole ? end.content : { class: "empty_stream", why: "the summary was empty or truncated" };
}
