import type { Mailbox } from "../../base/async/mailbox.js";
import { toAppError } from "../../base/errors.js";
import type { Log } from "../../base/log/log.js";
import type { TurnResult } from "../../contracts/chat/chat.js";
import type { GoalLoop } from "../goals/goal-loop.js";
import { paused, withoutContinuations } from "../transcript/queue.js";
import type { ActorQueue } from "./actor-queue.js";
import { requestOf, startOf } from "./posted-messages.js";
import type { TellSession, TurnRunner } from "./turn-runner.js";
import type { Waiters } from "./waiters.js";

export interface TurnSchedulerDeps {
  readonly runner: TurnRunner;
  readonly queue: ActorQueue;
  readonly waiters: Waiters;
  readonly decisions: Mailbox;
  readonly goal: GoalLoop;
  readonly tell: TellSession;
  readonly log: Log;
}

/** What runs next in one lineage. Its methods are decisions: they are called one at a time, but for `ended` and `halt`. */
export class TurnScheduler {
  readonly #deps: TurnSchedulerDeps;
  /** The end of the running turn does not make the queue wait: something is to run next. */
  #next = false;
  /** A turn has ended and it is not decided yet what follows. */
  #settling = 0;
  #stopping = false;
  #last: TurnResult | undefined;

  constructor(deps: TurnSchedulerDeps) {
    this.#deps = deps;
  }

  get settling(): boolean {
    return this.#settling > 0;
  }

  get stopping(): boolean {
    return this.#stopping;
  }

  /** The turn that ended last. */
  get last(): TurnResult | undefined {
    return this.#last;
  }

  /** A message may begin at once: nothing runs and nothing waits. */
  async free(): Promise<boolean> {
    return !this.#deps.runner.busy && (await this.#deps.queue.read()).items.length === 0;
  }

  /** Nothing begins any more. */
  halt(): void {
    this.#stopping = true;
  }

  /** Whether the queue goes on behind the turn that was interrupted. */
  followed(next: boolean): void {
    this.#next = next;
  }

  /** Interrupt what runs; what is first in the queue comes next. */
  async cut(): Promise<void> {
    this.#next = this.#deps.runner.interrupt(false, true);
    if (!this.#next) await this.goOn();
  }

  /** The queue waits no longer. */
  async goOn(): Promise<void> {
    await this.#deps.queue.change((state) => paused(state, false));
    await this.pump();
  }

  /** Start the first item, unless something runs or the queue waits. */
  async pump(): Promise<void> {
    const { runner, queue, waiters } = this.#deps;
    if (runner.busy || this.#stopping) return;
    const { items, paused: waits } = await queue.read();
    const [item] = items;
    if (item === undefined || this.#stopping || (waits && !waiters.has(item.id))) return;
    const waiter = waiters.take(item.id);
    const own = waiter === undefined ? {} : startOf(waiter.turn);
    const news = item.kind === "message" ? {} : { news: true as const };
    const result = runner.start(
      { ...own, ...news, text: item.text, item: item.id, ...requestOf(item) },
      waiter?.turn ?? {},
    );
    waiter?.resolve(result);
  }

  /** The actor is free at once; what comes next is decided behind what was asked before. */
  ended(result: TurnResult | undefined, error: unknown): void {
    this.#last = result ?? this.#last;
    this.#settling += 1;
    this.#deps.decisions
      .post(() => this.#after(result, error))
      .catch((thrown: unknown) =>
        this.#deps.log.error("failed to start queued messages", { error: toAppError(thrown).message }),
      )
      .finally(() => {
        this.#settling -= 1;
        this.#deps.goal.tell();
      });
  }

  /** What was said meanwhile begins; a judgement that gave way is taken again, unless the user wants an end. */
  async afterAside(judging: boolean, interrupted: boolean): Promise<void> {
    const { runner, goal } = this.#deps;
    const next = this.#next;
    this.#next = false;
    if (this.#stopping) return;
    if (judging && interrupted) await this.restGoal("interrupt");
    await (next ? this.goOn() : this.pump());
    if (judging && !interrupted && !runner.busy && this.#last !== undefined) goal.judge(this.#last);
  }

  /** An active goal pauses, and its next step is not taken. @returns whether there was one */
  async restGoal(reason: "user" | "interrupt"): Promise<boolean> {
    const rests = await this.#deps.goal.goals.pause(reason);
    if (rests) await this.#deps.queue.change(withoutContinuations);
    return rests;
  }

  async #after(result: TurnResult | undefined, error: unknown): Promise<void> {
    const { runner, queue, goal, tell } = this.#deps;
    const next = this.#next;
    this.#next = false;
    if (this.#stopping) return;
    if (error !== undefined)
      tell(runner.session.id, undefined, "notice", { level: "error", text: toAppError(error).message });
    const interrupted = result?.interrupted === true;
    if (interrupted) await this.restGoal("interrupt");
    const bad = result === undefined || interrupted || result.failed;
    const messaging = runner.options.origin !== undefined;
    if (bad && !next && !messaging)
      await queue.change((state) => (state.items.length === 0 ? state : paused(state, true)));
    await this.pump();
    if (result !== undefined && !bad && !runner.busy) goal.judge(result);
  }
}
