import { aborted } from "../../base/async/aborted.js";
import { AppError } from "../../base/errors.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import { settlesWithin } from "../../base/time/settles-within.js";
import type { Ms, SessionId, TurnId } from "../../base/units.js";
import type { Inbound, InboxBatch } from "../../contracts/board/platform-tag.js";
import type { ChatApi, ChatEvent, SubmitTurn, TurnResult } from "../../contracts/chat/chat.js";
import type { NewSend } from "../../contracts/gateway/outbox.js";
import type { TurnPhase } from "../../contracts/gateway/platform.js";
import { isPlatform } from "../../contracts/gateway/platform-traits.js";
import type { TurnSends } from "../outbox/turn-sends.js";
import { createStartingTurns, type Fence, type Readying } from "./starting-turns.js";
import { followTurnEvent, newProgress, type TurnProgress } from "./turn-progress.js";

/** A turn of a chat that runs at this moment. */
export interface LiveTurn {
  /** Name that its rows bear. */
  readonly turn: string;
  readonly key: string;
  readonly session: SessionId;
  /** What it answers: the last of its messages. */
  readonly event: Inbound;
  readonly progress: TurnProgress;
  /** Aborts when it ends, however it ends. */
  readonly over: AbortSignal;
  /** Undefined until its message is durable. */
  readonly id: TurnId | undefined;
  /** How it was withdrawn; nothing of it is sent any more. */
  readonly fenced: Fence | undefined;
  /** Ask it to end at the next safe point; one that does not is withdrawn. */
  interrupt(): void;
  /** Withdraw it: nothing that it still gives counts, and its session is free. */
  fence(how: Fence): void;
  /** Store messages of it, in order, unless it was withdrawn. @returns ids of the rows */
  emit(sends: readonly NewSend[]): Promise<readonly string[]>;
}

/** Something that accompanies a turn. */
export interface TurnObserver {
  on?(event: ChatEvent): void;
  /** The turn has ended. */
  stop?(phase: TurnPhase): void | Promise<void>;
}

export interface LiveDeps {
  readonly chat: ChatApi;
  readonly clock: Clock;
  readonly log: Log;
  readonly sends: TurnSends;
  /** What accompanies each turn. */
  readonly aids: readonly ((turn: LiveTurn) => TurnObserver)[];
}

/** The turns of chats that run at this moment, one for each session key. */
export interface LiveTurns {
  of(key: string): LiveTurn | undefined;
  /** The turn of a session that is being made ready, which begins where it does not exist. It is over when the turn is worked. */
  readying(key: string): Readying;
  /** Withdraw the turn of a session, also one that is being made ready. @returns whether there is one */
  withdraw(key: string, how: Fence): boolean;
  all(): readonly LiveTurn[];
  /** A withdrawn turn of this session runs on, and does not end while it is waited for. */
  stuck(session: SessionId): Promise<boolean>;
  /** Work a turn, unless it was withdrawn while it was made ready. Rejects when the gateway stops; then it is resumed by the next. */
  work(wanted: LiveTurnRequest): Promise<Worked>;
}

export interface LiveTurnRequest {
  readonly turn: string;
  readonly batch: InboxBatch;
  readonly event: Inbound;
  readonly submit: SubmitTurn;
  readonly signal: AbortSignal;
}

export type Worked = { readonly result: TurnResult } | { readonly fenced: Fence };

/** Milliseconds after which an interrupted turn that goes on is withdrawn. */
const PATIENCE: Ms = 10_000;
/** A withdrawn one is killed without waiting for anything. */
const FORCE: Ms = 3_000;
/** What tells of a turn comes behind it; longer it is not waited for. */
const TAIL: Ms = 2_000;
/** A withdrawn turn that goes on longer keeps its conversation for good. */
const LOST: Ms = 8_000;

export function createLiveTurns(deps: LiveDeps): LiveTurns {
  const all = new Map<string, Live>();
  const left = new Map<SessionId, Promise<void>>();
  const ready = createStartingTurns();
  return {
    readying: ready.at,
    withdraw: (key, how) => {
      const live = all.get(key);
      live?.fence(how);
      return live !== undefined || ready.withdraw(key, how);
    },
    stuck: async (session) => {
      const ends = left.get(session);
      return ends !== undefined && !(await settlesWithin(deps.clock, LOST, ends));
    },
    of: (key) => all.get(key),
    all: () => [...all.values()],
    work: async (wanted) => {
      const { fenced, over } = ready.at(wanted.batch.sessionKey);
      over();
      if (fenced !== undefined) return { fenced };
      const live = new Live(deps, wanted);
      all.set(live.key, live);
      try {
        return await live.work(wanted);
      } finally {
        if (all.get(live.key) === live) all.delete(live.key);
        if (live.fenced !== undefined) keepUntilEnd(left, live);
      }
    },
  };
}

function keepUntilEnd(left: Map<SessionId, Promise<void>>, { session, ended }: Live): void {
  left.set(session, ended);
  ended.then(() => left.get(session) === ended && left.delete(session)).catch(() => undefined); // `ended` never rejects
}

class Live implements LiveTurn {
  readonly turn: string;
  readonly key: string;
  readonly session: SessionId;
  readonly event: Inbound;
  readonly progress: TurnProgress;
  id: TurnId | undefined;
  fenced: Fence | undefined;
  /** Resolves when its conversation has let go of it. */
  ended: Promise<void> = Promise.resolve();
  readonly #deps: LiveDeps;
  readonly #over = new AbortController();
  readonly #asked = new AbortController();
  readonly #force = new AbortController();
  readonly #withdrawn = new AbortController();
  readonly #timers = new Set<() => void>();
  #emitting: Promise<unknown> = Promise.resolve();

  constructor(deps: LiveDeps, { turn, batch, event, submit }: LiveTurnRequest) {
    this.#deps = deps;
    this.turn = turn;
    this.key = batch.sessionKey;
    this.session = submit.session;
    this.event = event;
    this.progress = newProgress(deps.clock.mono());
  }

  get over(): AbortSignal {
    return this.#over.signal;
  }

  interrupt(): void {
    if (this.#asked.signal.aborted || this.#over.signal.aborted) return;
    this.#asked.abort(new AppError("E_INTERRUPTED", "interrupted by the user", { by: "user", followed: true }));
    this.#later(PATIENCE, () => this.fence({ reason: "stopped" }));
  }

  fence(how: Fence): void {
    if (this.fenced !== undefined || this.#over.signal.aborted) return;
    this.fenced = how;
    this.#asked.abort(new AppError("E_INTERRUPTED", "interrupted by the user", { by: "user" }));
    this.#later(FORCE, () =>
      this.#force.abort(new AppError("E_INTERRUPTED", "the turn was withdrawn", { by: "user" })),
    );
    this.#withdrawn.abort();
  }

  emit(sends: readonly NewSend[]): Promise<readonly string[]> {
    const stored = this.#emitting.then(() =>
      this.fenced === undefined ? this.#deps.sends.insert(this.turn, sends) : [],
    );
    this.#emitting = stored.catch(() => undefined); // reported to the emitter
    return stored;
  }

  async work({ submit, signal }: LiveTurnRequest): Promise<Worked> {
    const { chat } = this.#deps;
    const cursor = await chat.cursor(this.session);
    if (isPlatform(this.event.platform)) await chat.attach(this.session, this.#over.signal); // its chat can be asked
    const aids = this.#deps.aids.map((make) => make(this));
    const heard = this.#listen(cursor, aids);
    let phase: TurnPhase = "stopped";
    // It goes on when the gateway stops: who ends the conversations then marks it as cut off, so that it is resumed.
    const submitted = chat.submit({
      ...submit,
      signal: this.#asked.signal,
      force: this.#force.signal,
      onTurn: (id) => {
        this.id = id;
      },
    });
    this.ended = submitted.then(
      () => this.#calm(),
      () => this.#calm(), // told below, unless the turn was withdrawn or the gateway stopped first
    );
    try {
      const result = await Promise.race([submitted, aborted(this.#withdrawn.signal), this.#whileWorked(signal)]).catch(
        (error: unknown) => {
          if (this.fenced !== undefined || this.#asked.signal.aborted) return undefined;
          throw error;
        },
      );
      if (this.fenced !== undefined) return await this.#withdraw(this.fenced);
      if (signal.aborted || (result !== undefined && result.exit_reason === "owner_stopped"))
        throw new AppError("E_INTERRUPTED", "the gateway is stopping");
      if (result === undefined) return { fenced: { reason: "stopped" } }; // taken back before it began
      await this.#inTime(heard);
      if (this.fenced !== undefined) return await this.#withdraw(this.fenced);
      phase = result.failed || result.error !== undefined ? "failed" : result.interrupted ? "stopped" : "answered";
      return { result };
    } finally {
      this.#over.abort();
      await Promise.all(aids.map((aid) => this.#ended(aid, phase)));
    }
  }

  /** Resolves when the signal aborts; what it heard with goes with the turn. */
  #whileWorked(signal: AbortSignal): Promise<undefined> {
    return new Promise((resolve) => {
      if (signal.aborted) resolve(undefined);
      signal.addEventListener("abort", () => resolve(undefined), { once: true, signal: this.#over.signal });
    });
  }

  /** Behind everything that it has stored. */
  async #withdraw(fenced: Fence): Promise<Worked> {
    await this.#emitting;
    await this.#deps.sends.drop(this.turn);
    return { fenced };
  }

  async #listen(cursor: number, aids: readonly TurnObserver[]): Promise<void> {
    const { chat, clock, log } = this.#deps;
    try {
      for await (const event of chat.events(this.session, cursor, this.#over.signal)) {
        if (event.turn_id === undefined || event.turn_id !== this.id) continue;
        followTurnEvent(this.progress, event, clock.mono());
        for (const aid of aids) aid.on?.(event);
        if (event.event === "turn.ended") return;
      }
    } catch (error) {
      if (!this.#over.signal.aborted) log.warning("failed to follow a turn", { error: String(error) });
    }
  }

  async #ended(aid: TurnObserver, phase: TurnPhase): Promise<void> {
    try {
      await aid.stop?.(phase);
    } catch (error) {
      this.#deps.log.warning("an activity beside a turn failed", { error: String(error) });
    }
  }

  async #inTime(work: Promise<void>): Promise<void> {
    const done = new AbortController();
    const late = this.#deps.clock.after(TAIL, () => done.abort());
    await Promise.race([work, aborted(done.signal), aborted(this.#withdrawn.signal)]);
    late();
  }

  #later(ms: Ms, act: () => void): void {
    this.#timers.add(this.#deps.clock.after(ms, act));
  }

  /** Nothing of it runs any longer: no process has to be killed. */
  #calm(): void {
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
  }
}
