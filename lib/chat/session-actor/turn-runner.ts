import type { Store } from "../../../storage/store.js";
import { AppError } from "../../base/errors.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import type { EpochMs, SessionId, TurnId } from "../../base/units.js";
import type { NewSession, SessionRecord, SubmitTurn, Transcript, TurnResult } from "../../contracts/chat/chat.js";
import type { Conversation, TurnRequest } from "../conversation/conversation.js";
import { createSteerSlot, type SteerSlot } from "../transcript/steer.js";
import { closeOpenTurns } from "../transcript/transcript-recovery.js";
import { createPhases, type EmitLive, type Phase, type Phases } from "./phases.js";

/** Makes the conversation of a session when its first turn begins. */
export type Converse = (store: Store, session: SessionRecord, options: NewSession, live: EmitLive) => Conversation;

export type TellSession = (
  session: SessionId,
  turn: TurnId | undefined,
  event: string,
  data: Readonly<Record<string, unknown>>,
) => void;

/** What a turn is begun with. */
export type TurnStart = Omit<SubmitTurn, "session" | "signal" | "force"> &
  Pick<TurnRequest, "item" | "news" | "wireOnly">;

export interface TurnRunnerDeps {
  readonly converse: Converse;
  readonly tell: TellSession;
  readonly clock: Clock;
  readonly log: Log;
  readonly store: Store;
  /** Moves words for the turn that it did not take to the queue. */
  giveBack(text: string): Promise<void>;
  /** The turn has ended, or could not begin. Nothing runs any more. */
  ended(result: TurnResult | undefined, error: unknown): void;
}

interface Running {
  readonly control: AbortController;
  readonly force: AbortController;
  /** Absent: what runs is not a turn, and does not take messages. */
  readonly steer?: SteerSlot;
  readonly startedAt: EpochMs;
  /** Once its message is durable: what is reported belongs to it. */
  turn: TurnId | undefined;
  interruptedAt: number | undefined;
}

/** A second interrupt within this time is the same wish of two people, not impatience. */
const SAME_WISH_MS = 300;

/** What the options of a conversation let each of its turns use. */
const limitsOf = ({ maxTurns, maxCostUsd }: NewSession): Pick<TurnStart, "maxTurns" | "maxCostUsd"> => ({
  ...(maxTurns === undefined ? {} : { maxTurns }),
  ...(maxCostUsd === undefined ? {} : { maxCostUsd }),
});

/** The conversation of a lineage, and the one turn that runs in it. */
export class TurnRunner {
  readonly #deps: TurnRunnerDeps;
  readonly #phases: ReturnType<typeof createPhases>;
  #session: SessionRecord;
  #options: NewSession;
  /** Of the turn that runs, when it has its own. */
  #guest: NewSession | undefined;
  #conversation: Conversation | undefined;
  /** It was opened with options that do not hold any more. */
  #outdated = false;
  /** It broke off and is not closed yet: until then no other can begin. */
  #broken: TurnId | undefined;
  #running: Running | undefined;
  #result: Promise<unknown> | undefined;

  constructor(deps: TurnRunnerDeps, session: SessionRecord, options: NewSession) {
    this.#deps = deps;
    this.#session = session;
    this.#options = options;
    this.#phases = createPhases(
      (event, data) => deps.tell(this.session.id, this.#running?.turn, event, data),
      deps.clock,
    );
  }

  /** As it is now: its turns give it a prompt, a title and counters, and compaction a new segment. */
  get session(): SessionRecord {
    return this.#conversation?.session ?? this.#session;
  }

  get options(): NewSession {
    return this.#options;
  }

  get busy(): boolean {
    return this.#running !== undefined;
  }

  get phase(): Phase & { readonly turn: TurnId | undefined; readonly startedAt: EpochMs | undefined } & Pick<
      Phases,
      "streamed" | "output"
    > {
    const { turn, startedAt } = this.#running ?? {};
    return { ...this.#phases.now, turn, startedAt, streamed: this.#phases.streamed, output: this.#phases.output };
  }

  /** Messages for the running turn; undefined when no turn takes any. */
  get steer(): SteerSlot | undefined {
    return this.#running?.interruptedAt === undefined ? this.#running?.steer : undefined;
  }

  /** Options hold from the next turn on. */
  async open(session: SessionRecord, options: NewSession): Promise<void> {
    const closed = this.busy ? undefined : this.letGo(); // a caller that opens it meanwhile finds the new options
    this.#session = session;
    this.#options = options;
    this.#outdated = this.busy;
    await closed;
  }

  /** Its record or its messages were changed beside its turns. */
  changed(session: SessionRecord, transcript: Transcript): void {
    this.#session = session;
    this.#conversation?.follow(transcript);
  }

  /** To look at it, beside whatever runs. */
  get conversation(): Conversation {
    return this.#opened();
  }

  /** What may be stored and shown of a text of the user. */
  keepable(text: string): Promise<string> {
    return this.#opened().keepable(text);
  }

  /** Work on the conversation itself, as little to be disturbed as a turn and interrupted like one. */
  async aside<T>(work: (conversation: Conversation, signal: AbortSignal) => Promise<T>): Promise<T> {
    const running = newRunning(this.#deps.clock.now());
    this.#running = running;
    const result = this.#current().then((conversation) => work(conversation, running.control.signal));
    this.#result = result;
    try {
      return await result;
    } finally {
      this.#phases.idle();
      this.#running = undefined;
    }
  }

  start(
    { onTurn, options, ...start }: TurnStart,
    { signal, force }: Pick<SubmitTurn, "signal" | "force"> = {},
  ): Promise<TurnResult> {
    const steer = createSteerSlot((text) => this.#deps.giveBack(text));
    const running: Running = { ...newRunning(this.#deps.clock.now()), steer };
    this.#running = running;
    const told = (turn: TurnId) => {
      running.turn = turn;
      onTurn?.(turn);
    };
    const work = async () => {
      const request = {
        ...limitsOf(options ?? this.#options),
        ...start,
        onTurn: told,
        steer,
        force: running.force.signal,
      };
      const run = async () => (await this.#current()).run(request, running.control.signal);
      return options === undefined ? run() : this.#visited(options, run);
    };
    const off = [
      onAbort(signal, () => this.interrupt(false, isFollowed(signal))),
      onAbort(force, () => this.interrupt(true)),
    ];
    const result = work();
    this.#result = result;
    const end = (given: TurnResult | undefined, error: unknown) => {
      for (const stop of off) stop();
      this.#phases.idle();
      this.#running = undefined;
      this.#deps.ended(given, error);
    };
    result.then(
      (given) => end(given, undefined),
      async (error: unknown) => {
        // A turn that could not begin or was broken off has given nothing back itself.
        await steer
          .close()
          .catch((lost: unknown) => this.#deps.log.error("failed to keep steering text", { error: String(lost) }));
        this.#broken = running.turn;
        await this.#closeBroken().catch((left: unknown) =>
          this.#deps.log.error("a turn was left open", { error: String(left) }),
        );
        end(undefined, error);
      },
    );
    return result;
  }

  /** Work with options of its own: the conversation is opened for them alone. */
  async #visited<T>(options: NewSession, work: () => Promise<T>): Promise<T> {
    // Others may look at the conversation while its tools are closed: each time they open it with the options that hold from then on.
    this.#guest = options;
    await this.letGo();
    try {
      return await work();
    } finally {
      this.#guest = undefined;
      await this.letGo();
    }
  }

  /** Start at once. Resolves with the turn when its message is durable. */
  begin(start: Omit<TurnStart, "onTurn">): Promise<TurnId> {
    return new Promise((resolve, reject) => {
      this.start({ ...start, onTurn: resolve }).then((result) => resolve(result.turn_id), reject);
    });
  }

  /** Told at once, whatever the turn does. `followed`: a further message is there already. @returns false when none runs */
  interrupt(force: boolean, followed = false): boolean {
    const running = this.#running;
    if (running === undefined) return false;
    const now = this.#deps.clock.mono();
    const again = running.interruptedAt !== undefined && now - running.interruptedAt >= SAME_WISH_MS;
    running.interruptedAt ??= now;
    this.#phases.interrupting();
    const why = new AppError("E_INTERRUPTED", "interrupted by the user", { by: "user", followed });
    running.control.abort(why);
    if (force || again) running.force.abort(why);
    return true;
  }

  /** End the turn because the owner ends. */
  async stop(): Promise<void> {
    this.#running?.control.abort(new AppError("E_INTERRUPTED", "the owner is stopping", { by: "owner" }));
    await this.#result?.catch(() => undefined); // the turn's own waiter gets the error
  }

  /** Let go of its tools. */
  async letGo(): Promise<void> {
    const conversation = this.#conversation;
    if (conversation !== undefined) this.#session = conversation.session;
    this.#conversation = undefined;
    this.#outdated = false;
    await conversation?.close();
  }

  /** With the options that hold now. */
  async #current(): Promise<Conversation> {
    if (this.#broken !== undefined) await this.#closeBroken();
    if (this.#outdated) await this.letGo();
    return this.#opened();
  }

  /** What kept the turn from its own end, e.g. a full disk, may be over. Its conversation has not seen what is added here. */
  async #closeBroken(): Promise<void> {
    const { store, clock } = this.#deps;
    const broken = this.#broken;
    if (broken === undefined) return;
    await closeOpenTurns(store, clock, ({ turn_id }) => turn_id !== broken);
    this.#broken = undefined;
    this.#outdated = true;
  }

  #opened(): Conversation {
    this.#conversation ??= this.#deps.converse(
      this.#deps.store,
      this.#session,
      this.#guest ?? this.#options,
      this.#phases.live,
    );
    return this.#conversation;
  }
}

const newRunning = (startedAt: EpochMs): Running => ({
  startedAt,
  control: new AbortController(),
  force: new AbortController(),
  turn: undefined,
  interruptedAt: undefined,
});

/** Whether the message that made a client abort is there already. */
function isFollowed(signal: AbortSignal | undefined): boolean {
  const why: unknown = signal?.reason;
  return why instanceof AppError && why.data["followed"] === true;
}

/** Call `act` when the signal aborts, or soon when it has. */
export function onAbort(signal: AbortSignal | undefined, act: () => void): () => void {
  if (signal === undefined) return () => undefined;
  if (signal.aborted) queueMicrotask(act);
  signal.addEventListener("abort", act, { once: true });
  return () => signal.removeEventListener("abort", act);
}
