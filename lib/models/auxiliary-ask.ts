import type { Clock } from "../base/clock.js";
import type { Ids } from "../base/ids.js";
import { type ModelErrorClass, type ModelFailure, NO_USAGE, type Usage } from "../proto/model.js";
import type { AuxChoice, AuxSlot } from "./auxiliary.js";
import { type AskOptions, askModel } from "./retry.js";

/** One request of side work: no tools, no session (core part, 5). */
export interface AuxRequest {
  readonly system: string;
  readonly user: string;
  readonly temperature: number;
  readonly maxTokens: number;
}

/** What came of it. A failure is a value: side work never raises. */
export type AuxAnswer =
  | { readonly ok: true; readonly text: string; readonly usage: Usage; readonly model: string; readonly provider: string }
  /** No model is configured for the slot, or only the stand-in would serve. */
  | { readonly ok: false; readonly why: "no client" }
  | { readonly ok: false; readonly why: "failed"; readonly class: ModelErrorClass; readonly message: string };

export interface AuxAskDeps extends Pick<AskOptions, "random" | "attempts" | "streamRetries" | "rebuild"> {
  /** `Models` of this process, or what chooses like it. */
  readonly models: { aux(slot: AuxSlot): Promise<AuxChoice | undefined> };
  readonly clock: Clock;
  readonly ids: Pick<Ids, "hex">;
}

/** Asks the model of a slot, with the retry rules of every request and within the slot's time. Never rejects. */
export type AskAuxiliary = (slot: AuxSlot, request: AuxRequest, signal: AbortSignal) => Promise<AuxAnswer>;

/** The call that every piece of side work makes. */
export function createAuxiliary(deps: AuxAskDeps): AskAuxiliary {
  return async (slot, request, signal) => {
    try {
      const choice = await deps.models.aux(slot);
      return choice === undefined ? { ok: false, why: "no client" } : await within(deps, { slot, choice, request }, signal);
    } catch (error) {
      return { ok: false, why: "failed", class: "unknown", message: error instanceof Error ? error.message : String(error) };
    }
  };
}

interface Asked {
  readonly slot: AuxSlot;
  readonly choice: AuxChoice;
  readonly request: AuxRequest;
}

/** The time of a slot covers the repeats of its request too. */
async function within(deps: AuxAskDeps, asked: Asked, signal: AbortSignal): Promise<AuxAnswer> {
  const late = new AbortController();
  const seconds = asked.choice.timeoutMs / 1000;
  const cancel = deps.clock.after(asked.choice.timeoutMs, () => late.abort());
  try {
    const answer = await ask(deps, asked, AbortSignal.any([signal, late.signal]));
    if (answer.ok || !late.signal.aborted || signal.aborted) return answer;
    return { ok: false, why: "failed", class: "timeout", message: `no answer within ${seconds} s` };
  } finally {
    cancel();
  }
}

async function ask(deps: AuxAskDeps, { slot, choice, request }: Asked, signal: AbortSignal): Promise<AuxAnswer> {
  const { models: _models, ids, ...options } = deps;
  const asked = {
    requestId: `aux-${slot}-${ids.hex(6)}`,
    model: choice.model,
    messages: [
      { role: "system", content: request.system },
      { role: "user", content: request.user },
    ],
    tools: [],
    maxOutputTokens: request.maxTokens,
    temperature: request.temperature,
  } as const;
  for await (const event of askModel(choice, asked, { ...options, signal })) {
    if (event.type === "failed") return failed(event.failure);
    if (event.type === "done") {
      const { content, usage, model } = event;
      return { ok: true, text: content.trim(), usage: usage ?? NO_USAGE, model, provider: choice.provider.id };
    }
  }
  return { ok: false, why: "failed", class: "empty_stream", message: "the provider ended without an answer" };
}

const failed = (failure: ModelFailure): AuxAnswer => ({ ok: false, why: "failed", class: failure.class, message: failure.message });
