import { linkSignals } from "../base/async/abort-any.js";
import type { Ids } from "../base/ids.js";
import { LIMITS } from "../base/limits.js";
import type { Clock } from "../base/time/clock.js";
import { type ModelErrorClass, type ModelEvent, NO_USAGE, type Usage } from "../contracts/models/model.js";
import type { ImageData } from "../contracts/models/pictures.js";
import type { AuxChoice, AuxSlot } from "./auxiliary.js";
import { type AskOptions, askModel } from "./retry.js";

/** One request of side work: no tools, no session (core part, 5). */
export interface AuxRequest {
  readonly system: string;
  readonly user: string;
  readonly images?: readonly ImageData[];
  readonly temperature: number;
  readonly maxTokens: number;
}

/** What came of it. A failure is a value: side work never raises. */
export type AuxCompletion =
  | {
      readonly ok: true;
      readonly text: string;
      readonly usage: Usage;
      readonly model: string;
      readonly provider: string;
    }
  /** No model is configured for the slot, or only the stand-in would serve. */
  | { readonly ok: false; readonly why: "no client" }
  | {
      readonly ok: false;
      readonly why: "failed";
      readonly class: ModelErrorClass | "endless_answer";
      readonly message: string;
    };

export interface AuxAskDeps extends Pick<AskOptions, "random" | "attempts" | "streamRetries" | "rebuild"> {
  /** `Models` of this process, or what chooses like it. */
  readonly models: { aux(slot: AuxSlot): Promise<AuxChoice | undefined> };
  readonly clock: Clock;
  readonly ids: Pick<Ids, "hex">;
}

/** Asks the model of a slot, with the retry rules of every request and within the slot's time. Never rejects. */
export type AskAuxiliary = (slot: AuxSlot, request: AuxRequest, signal: AbortSignal) => Promise<AuxCompletion>;

/** The call that every piece of side work makes. */
export function createAuxiliary(deps: AuxAskDeps): AskAuxiliary {
  return async (slot, request, signal) => {
    try {
      const choice = await deps.models.aux(slot);
      return choice === undefined
        ? { ok: false, why: "no client" }
        : await within(deps, { slot, choice, request }, signal);
    } catch (error) {
      return {
        ok: false,
        why: "failed",
        class: "unknown",
        message: error instanceof Error ? error.message : String(error),
      };
    }
  };
}

interface Asked {
  readonly slot: AuxSlot;
  readonly choice: AuxChoice;
  readonly request: AuxRequest;
}

/** How often an answer that broke off in the middle is asked for again: no part of it was seen. */
const TRIES = 3;

/** The time of a slot covers the repeats of its request too. */
async function within(deps: AuxAskDeps, asked: Asked, signal: AbortSignal): Promise<AuxCompletion> {
  const cut = new AbortController();
  let cause: AuxCompletion | undefined;
  const stop = (why: AuxCompletion) => {
    cause ??= why;
    cut.abort();
  };
  const seconds = asked.choice.timeoutMs / 1000;
  const cancel = deps.clock.after(asked.choice.timeoutMs, () =>
    stop(failed("timeout", `no response within ${seconds} s`)),
  );
  const either = linkSignals(signal, cut.signal);
  const calling = { signal: either.signal, stop };
  try {
    let answer = await ask(deps, asked, calling);
    for (let tries = 1; answer === "dropped" && tries < TRIES && !calling.signal.aborted; tries++)
      answer = await ask(deps, asked, calling);
    if (signal.aborted) return failed("aborted", "the request was stopped");
    if (cause !== undefined) return cause;
    return answer === "dropped" ? failed("timeout", "the connection was lost during the answer") : answer;
  } finally {
    cancel();
    either.dispose();
  }
}

interface Calling {
  readonly signal: AbortSignal;
  /** End the request; the first reason given is the answer. */
  readonly stop: (why: AuxCompletion) => void;
}

async function ask(
  deps: AuxAskDeps,
  { slot, choice, request }: Asked,
  { signal, stop }: Calling,
): Promise<AuxCompletion | "dropped"> {
  const { models: _models, ids, ...options } = deps;
  const asked = {
    requestId: `aux-${slot}-${ids.hex(6)}`,
    model: choice.model,
    messages: [
      { role: "system", content: request.system },
      { role: "user", content: request.user, ...(request.images === undefined ? {} : { images: request.images }) },
    ],
    tools: [],
    maxOutputTokens: request.maxTokens,
    temperature: request.temperature,
    promptTokens: Math.ceil((request.system.length + request.user.length) / 4),
    window: choice.window,
  } as const;
  let seen = 0;
  for await (const event of askModel(choice, asked, { ...options, signal })) {
    if (event.type === "text" || event.type === "reasoning") seen += event.text.length;
    if (event.type === "text.reset") seen = 0;
    if (seen > LIMITS.auxAnswerChars)
      stop(failed("endless_answer", `the answer exceeds ${LIMITS.auxAnswerChars} characters`));
    if (event.type === "failed") return failed(event.failure.class, event.failure.message);
    if (event.type === "done") return answerOf(event, choice);
  }
  return failed("empty_stream", "the provider ended without an answer");
}

function answerOf(done: Extract<ModelEvent, { type: "done" }>, choice: AuxChoice): AuxCompletion | "dropped" {
  if (done.finish === "dropped") return "dropped";
  if (done.finish === "content_filter") return failed("content_policy_blocked", "the provider withheld the answer");
  const { content, usage, model } = done;
  return { ok: true, text: content.trim(), usage: usage ?? NO_USAGE, model, provider: choice.provider.id };
}

const failed = (kind: Extract<AuxCompletion, { why: "failed" }>["class"], message: string): AuxCompletion => ({
  ok: false,
  why: "failed",
  class: kind,
  message,
});
