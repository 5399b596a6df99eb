import type { Clock } from "../base/time/clock.js";
import type { Ms } from "../base/units.js";
import type { ModelChoice, ModelEvent, ModelFailure, ModelRequest } from "../contracts/models/model.js";
import { priced } from "./core/prices.js";
import { LoginUse } from "./pool/login.js";
import { KeyRotation } from "./pool/rotation.js";
import { repairedRequest, withoutRefused } from "./request-repairs.js";

/** What the retry loop may use and how far it goes. */
export interface AskOptions {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Uniform in [0, 1); spreads the waits of many clients. */
  readonly random: () => number;
  /** Requests in all, at least 1 (`agent.api_max_retries`, 3). */
  readonly attempts?: number;
  /** Silent repeats of one attempt whose connection broke before any text (`AGENT_STREAM_RETRIES`, 2). */
  readonly streamRetries?: number;
  /** Drops pooled connections; called once before giving up on a broken connection. */
  readonly rebuild?: () => Promise<void>;
  /** Another provider waits to take over: limits and empty answers are its business at once, not a reason to wait. */
  readonly fallbackLeft?: boolean;
  /** Sees every event, besides its reader. */
  readonly onEvent?: (event: ModelEvent) => void;
}

/** Longest `Retry-After` that is honoured (core part, 4.1). */
const MAX_RETRY_AFTER_MS = 120_000;

const BACKOFF = {
  error: { base: 2_000, cap: 60_000 },
  invalid: { base: 5_000, cap: 120_000 },
} as const;

/** What another provider is asked for at once, when there is one (core part, 4.5). */
const EAGER: ReadonlySet<string> = new Set(["rate_limit", "billing", "credentials_exhausted", "empty_stream"]);

const ABORTED: ModelFailure = { class: "aborted", message: "the request was stopped", retry: false };

/**
 * One request with the retry rules of the core part, 4.1 and 3.5. Never throws; exactly one of `done` and `failed` is the last event. A failure
 * with `compact` is handed back at once: only the caller can make the conversation smaller.
 */
export async function* askModel(
  choice: ModelChoice,
  request: ModelRequest,
  options: AskOptions,
): AsyncGenerator<ModelEvent, void> {
  const run = new Run(choice, request, options);
  for await (const told of run.events()) {
    const event =
      told.type === "done" && told.usage !== undefined ? { ...told, usage: priced(told.usage, choice.price) } : told;
    options.onEvent?.(event);
    yield event;
  }
}

type End = Extract<ModelEvent, { type: "done" } | { type: "failed" }>;

/** State of one `askModel`. */
class Run {
  readonly #choice: ModelChoice;
  readonly #options: AskOptions;
  readonly #attempts: number;
  readonly #repairs = new Set<string>();
  readonly #keys: KeyRotation;
  readonly #login: LoginUse;
  #request: ModelRequest;
  #attempt = 1;
  #inner = 0;
  #rebuilt = false;
  /** Text or reasoning of the running attempt was given out. */
  #shown = false;
  #text = "";

  constructor(choice: ModelChoice, request: ModelRequest, options: AskOptions) {
    this.#choice = choice;
    this.#request = withoutRefused(choice.provider, request);
    this.#options = options;
    this.#keys = new KeyRotation(choice);
    this.#login = new LoginUse(choice.login, options.signal);
    this.#attempts = Math.max(1, options.attempts ?? 3);
  }

  async *events(): AsyncGenerator<ModelEvent, void> {
    const missing = this.#keys.begin();
    if (missing) {
      yield { type: "failed", failure: missing, partial: "" };
      return;
    }
    try {
      yield* this.#attemptsOf();
    } finally {
      this.#keys.end();
    }
  }

  async *#attemptsOf(): AsyncGenerator<ModelEvent, void> {
    for (;;) {
      const end = yield* this.#once();
      const renewed = end.type === "failed" && (await this.#login.renews(end.failure));
      const next: Decision = renewed ? { kind: "again", waitMs: 0 } : this.#decide(end);
      if (next.kind === "end") {
        yield next.event;
        return;
      }
      if (next.event) yield next.event;
      if (this.#shown) yield { type: "text.reset" };
      if (!(await this.#wait(next.waitMs))) {
        yield { type: "failed", failure: ABORTED, partial: "" };
        return;
      }
      if (next.rebuild) await this.#options.rebuild?.();
    }
  }

  /** One stream. Its last event is given back instead of out. */
  async *#once(): AsyncGenerator<ModelEvent, End> {
    this.#shown = false;
    this.#text = "";
    const paid = await this.#login.apply(this.#keys.apply(this.#request));
    if ("failure" in paid) return failed(paid.failure);
    try {
      for await (const event of this.#choice.provider.stream(paid.request, this.#options.signal)) {
        if (event.type === "done" || event.type === "failed") return event;
        if (event.type === "text") this.#text += event.text;
        if (event.type === "text" || event.type === "reasoning") this.#shown = true;
        yield event;
      }
      return failed({
        class: "empty_stream",
        message: "the provider ended without an answer",
        retry: true,
        fallback: true,
      });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return failed({ class: "unknown", message: `the provider failed: ${message}`, retry: false });
    }
  }

  #decide(end: End): Decision {
    if (this.#options.signal.aborted)
      return { kind: "end", event: { type: "failed", failure: ABORTED, partial: this.#text } };
    if (end.type === "done") {
      this.#keys.succeeded();
      this.#login.succeeded();
      const again = end.finish === "dropped" && end.callDropped === true && this.#innerLeft();
      return again ? this.#reconnect() : { kind: "end", event: end };
    }
    const { failure } = end;
    if (failure.class === "aborted") return { kind: "end", event: end };
    const repaired = repairedRequest(this.#request, failure, { provider: this.#choice.provider, done: this.#repairs });
    if (repaired) {
      this.#request = repaired;
      return { kind: "again", waitMs: 0 };
    }
    if (failure.compact) return { kind: "end", event: end };
    return this.#otherKey(failure) ?? this.#repeat(failure);
  }

  /** A key that is used up makes place for the next one; that costs no attempt (core part, 4.4). */
  #otherKey(failure: ModelFailure): Decision | undefined {
    const verdict = this.#keys.after(failure);
    if (verdict === "keep") return undefined;
    if (verdict === "none") return this.#giveUp(this.#keys.problem() ?? failure);
    const waitMs = verdict === "same" ? this.#waitMs(failure) : 0;
    const cause = verdict === "same" ? failure.message : `${failure.message}; trying another key`;
    return { kind: "again", waitMs, event: this.#event(cause, { waitMs, class: failure.class }) };
  }

  #repeat(failure: ModelFailure): Decision {
    const broken = failure.transport === true;
    if (broken && this.#text !== "") return this.#afterText(failure);
    if (broken && failure.retry && this.#innerLeft()) return this.#again();
    const elsewhere = this.#options.fallbackLeft === true && EAGER.has(failure.class);
    return failure.retry && !elsewhere ? this.#later(failure, broken) : this.#giveUp(failure);
  }

  /** Text was shown. A call that was being written is asked for again; text alone is kept, and the chat loop asks to go on. */
  #afterText(failure: ModelFailure): Decision {
    if (failure.callInFlight && this.#innerLeft()) return this.#reconnect();
    return { kind: "end", event: droppedDone(this.#text, this.#request.model, failure) };
  }

  #innerLeft(): boolean {
    return this.#inner < (this.#options.streamRetries ?? 2);
  }

  #again(): Decision {
    this.#inner += 1;
    return { kind: "again", waitMs: 0 };
  }

  #reconnect(): Decision {
    const event = this.#event("connection dropped, reconnecting", { waitMs: 0, class: "timeout" });
    return { ...this.#again(), event };
  }

  #later(failure: ModelFailure, broken: boolean): Decision {
    const last = this.#attempt >= this.#attempts;
    const canRebuild = this.#options.rebuild !== undefined && this.#choice.provider.traits?.router !== true;
    const rebuild = last && broken && !this.#rebuilt && canRebuild;
    if (last && !rebuild) return this.#giveUp(failure);
    const waitMs = rebuild ? Math.min(3 + this.#attempt, 8) * 1_000 : this.#waitMs(failure);
    this.#rebuilt ||= rebuild;
    this.#attempt += 1;
    this.#inner = 0;
    return { kind: "again", waitMs, rebuild, event: this.#event(failure.message, { waitMs, class: failure.class }) };
  }

  #event(cause: string, facts: Pick<Extract<ModelEvent, { type: "retry" }>, "waitMs" | "class">): ModelEvent {
    const of = Math.max(this.#attempts, this.#attempt);
    return { type: "retry", attempt: this.#attempt, of, cause, ...facts };
  }

  #waitMs(failure: ModelFailure): Ms {
    const told = failure.retryAfterMs;
    if (told !== undefined && (failure.class === "rate_limit" || failure.class === "overloaded"))
      return Math.min(told, MAX_RETRY_AFTER_MS);
    const { base, cap } = failure.class === "empty_stream" ? BACKOFF.invalid : BACKOFF.error;
    const wait = Math.min(base * 2 ** (this.#attempt - 1), cap);
    return Math.round(wait + (this.#options.random() * wait) / 2);
  }

  #giveUp(failure: ModelFailure): Decision {
    const retries = this.#attempt - 1;
    const said = `${retries} ${retries === 1 ? "retry" : "retries"}`;
    const message =
      failure.class === "credentials_exhausted"
        ? failure.message
        : `Request failed${retries === 0 ? "" : ` after ${said}`}: ${failure.message}`;
    const keys = this.#keys.tried;
    const tried = [
      ...(retries > 0 ? [said] : []),
      ...(this.#rebuilt ? ["new connections"] : []),
      ...(keys > 0 ? [`${keys} ${keys === 1 ? "key" : "keys"}`] : []),
    ];
    const hint = failure.hint ?? "agent doctor checks the provider; /model chooses another";
    return {
      kind: "end",
      event: { type: "failed", failure: { ...failure, message, hint, tried }, partial: this.#text },
    };
  }

  /** False when the caller stopped it. */
  async #wait(ms: Ms): Promise<boolean> {
    const { signal, clock } = this.#options;
    if (ms > 0) {
      try {
        await clock.sleep(ms, signal);
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    }
    return !signal.aborted;
  }
}

type Decision =
  | { readonly kind: "end"; readonly event: ModelEvent }
  | { readonly kind: "again"; readonly waitMs: Ms; readonly event?: ModelEvent; readonly rebuild?: boolean };

const failed = (failure: ModelFailure): End => ({ type: "failed", failure, partial: "" });

/** The text so far as an answer that was cut off. */
function droppedDone(text: string, model: string, failure: ModelFailure): ModelEvent {
  const done = {
    type: "done",
    finish: "dropped",
    content: text,
    reasoning: "",
    toolCalls: [],
    usage: undefined,
    model,
  } as const;
  return failure.callInFlight ? { ...done, callDropped: true } : done;
}
