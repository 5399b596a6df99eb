import type { Store } from "../../../storage/store.js";
import { lastEnding } from "../../../storage/tables/sessions/turns.js";
import { createMailbox, type Mailbox } from "../../base/async/mailbox.js";
import { AppError } from "../../base/errors.js";
import type { Ids } from "../../base/ids.js";
import { LIMITS } from "../../base/limits.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import type { SessionId } from "../../base/units.js";
import type {
  NewSession,
  SessionRecord,
  ShellLine,
  SubmitTurn,
  Transcript,
  TurnResult,
} from "../../contracts/chat/chat.js";
import type {
  BusyMode,
  InterruptOptions,
  NewQueueItem,
  Posted,
  PostedMessage,
  QueueItem,
  QueueState,
} from "../../contracts/chat/queue.js";
import type { Conversation } from "../conversation/conversation.js";
import type { Goals } from "../goals/goal-engine.js";
import { createGoalLoop, type GoalLoop } from "../goals/goal-loop.js";
import { editQueueItem, first, moveQueueItem, paused, removeQueueItem, requireQueueItem } from "../transcript/queue.js";
import { keepSteer, returnSteer, steerItem } from "../transcript/queue-store.js";
import { ActorQueue } from "./actor-queue.js";
import { CUT_OFF, goingOn, type PostOutcome, requestOf, settlePosted, startOf, toItem } from "./posted-messages.js";
import { type Converse, onAbort, type TellSession, TurnRunner } from "./turn-runner.js";
import { TurnScheduler } from "./turn-scheduler.js";
import { Waiters } from "./waiters.js";

export interface SessionActorDeps {
  readonly converse: Converse;
  readonly tell: TellSession;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** What a message does that comes while a turn runs (`display.busy_input_mode`). */
  busyMode(): BusyMode;
  /** The goal of a conversation as it is kept, with its judge. */
  goals(store: Store, session: SessionRecord, options: NewSession): Goals;
}

/** One lineage that is open in this owner: one turn at a time, everything else waits in its queue. */
export class SessionActor {
  readonly root: SessionId;
  readonly goal: GoalLoop;
  readonly #deps: SessionActorDeps;
  readonly #store: Store;
  readonly #runner: TurnRunner;
  readonly #queue: ActorQueue;
  readonly #scheduler: TurnScheduler;
  readonly #decisions: Mailbox;
  readonly #waiters = new Waiters();
  readonly #shellLines = new Set<AbortController>();

  constructor(deps: SessionActorDeps, store: Store, session: SessionRecord, options: NewSession) {
    this.#deps = deps;
    this.#store = store;
    this.root = session.lineage_root;
    this.#decisions = createMailbox(session.id, LIMITS.mailbox);
    const { converse, tell, clock, ids, log } = deps;
    const keepable = (text: string) => this.#runner.keepable(text);
    const queue = new ActorQueue({ store, clock, ids, root: this.root, session: () => this.session.id, keepable });
    this.#queue = queue;
    const giveBack = (text: string) => returnSteer(store, queue.place(), { id: queue.newId(), text });
    const ended = (result: TurnResult | undefined, error: unknown) => this.#scheduler.ended(result, error);
    this.#runner = new TurnRunner({ converse, tell, clock, log, store, giveBack, ended }, session, options);
    this.goal = this.#goalLoop();
    const { goal } = this;
    this.#scheduler = new TurnScheduler({
      runner: this.#runner,
      queue,
      waiters: this.#waiters,
      decisions: this.#decisions,
      goal,
      tell,
      log,
    });
  }

  #goalLoop(): GoalLoop {
    const { goals, log } = this.#deps;
    return createGoalLoop({
      goals: () => goals(this.#store, this.session, this.#runner.options),
      decide: (work) => this.#decisions.post(work),
      mayContinue: async () => !this.#scheduler.stopping && (await this.#scheduler.free()),
      goOn: async (text) => {
        await this.#queue.add({ text, kind: "continuation", source: "goal", by: "goal" });
        await this.#scheduler.pump();
      },
      failed: (error) => log.error("failed to judge a goal", { session: this.session.id, error }),
    });
  }

  get session(): SessionRecord {
    return this.#runner.session;
  }

  get busy(): boolean {
    return this.#runner.busy;
  }

  get phase(): TurnRunner["phase"] {
    return this.#runner.phase;
  }

  get inUse(): boolean {
    return (
      this.busy ||
      this.#shellLines.size > 0 ||
      this.#decisions.waiting > 0 ||
      this.#waiters.size > 0 ||
      this.goal.judging
    );
  }

  /** What waits there begins when a front end that shows it has come. */
  async open(session: SessionRecord, options: NewSession): Promise<void> {
    await this.#runner.open(session, options);
    if (options.source === "workspace" || options.source === "inline" || options.source === "acp")
      await this.#decisions.post(() => this.#scheduler.pump());
  }

  queue(): Promise<QueueState> {
    return this.#queue.read();
  }

  /** A turn whose end the caller waits for. */
  async submit(turn: SubmitTurn): Promise<TurnResult> {
    const { result } = await this.#decisions.post(async () => {
      this.goal.giveWay();
      if (await this.#scheduler.free()) return { result: this.#runner.start(startOf(turn), turn) };
      const item = await this.#queue.add({ text: turn.text, kind: "message", source: this.source, ...requestOf(turn) });
      const waiting = this.#waiters.wait(item.id, turn);
      onAbort(turn.signal, () => this.#takeBack(item));
      if (!this.busy) await this.#scheduler.goOn();
      return { result: waiting };
    });
    return result;
  }

  /** A message of a front end, which sees what happens to it. */
  async post(message: PostedMessage): Promise<Posted> {
    if (message.mode === "continue") return this.#continue(message);
    return settlePosted(
      await this.#decisions.post(async (): Promise<PostOutcome> => {
        this.goal.giveWay();
        if (await this.#scheduler.free()) return { begun: this.#runner.begin(startOf(message)) };
        return { posted: await (this.busy ? this.#postBusy(message) : this.#postQueued(message)) };
      }),
    );
  }

  /** @returns whether there was something to interrupt */
  async interrupt({ force = false, text = "" }: InterruptOptions = {}): Promise<boolean> {
    const judged = this.goal.giveWay();
    const stopped = this.#stopShellLines();
    const ran = this.#runner.interrupt(force, text.trim() !== "");
    if (text.trim() !== "") await this.#runFirst({ text, kind: "message", source: this.source }, ran);
    else if (!ran && judged) await this.#decisions.post(() => this.restGoal("interrupt"));
    return ran || judged || stopped;
  }

  /** Words for the running turn, or else the next message. */
  async steer(text: string): Promise<Posted> {
    return settlePosted(
      await this.#decisions.post(async (): Promise<PostOutcome> => {
        this.goal.giveWay();
        if (await this.#steer(text)) return { posted: { did: "steered" } };
        if (await this.#scheduler.free()) return { begun: this.#runner.begin({ text }) };
        const item = await this.#queue.item({ text, kind: "message", source: this.source });
        await this.#queue.change((state) => first(state, item));
        if (!this.busy) await this.#scheduler.goOn();
        return { posted: { did: "queued", item } };
      }),
    );
  }

  /** It begins when its turn comes; a queue that waits goes on waiting. */
  add(item: NewQueueItem): Promise<QueueItem> {
    return this.#decisions.post(async () => {
      const made = await this.#queue.add(item);
      await this.#scheduler.pump();
      return made;
    });
  }

  edit(item: string, text: string): Promise<QueueState> {
    return this.#decisions.post(async () => {
      const own = await this.#runner.keepable(text);
      return this.#queue.change((state) => editQueueItem(state, item, own));
    });
  }

  move(item: string, before: string | undefined): Promise<QueueState> {
    return this.#decisions.post(() => this.#queue.change((state) => moveQueueItem(state, item, before)));
  }

  remove(item: string): Promise<QueueState> {
    return this.#decisions.post(async () => {
      const left = await this.#queue.change((state) => removeQueueItem(state, item));
      this.#waiters.forget(
        item,
        new AppError("E_INTERRUPTED", "the message was removed from the queue before it started"),
      );
      return left;
    });
  }

  /** Interrupt what runs and run this item next; without one, the first. */
  sendNow(item: string | undefined): Promise<QueueState> {
    return this.#decisions.post(async () => {
      this.goal.giveWay();
      await this.#queue.change((state) => {
        const wanted = item === undefined ? state.items[0] : requireQueueItem(state, item);
        return wanted === undefined ? state : paused(first(state, wanted), false);
      });
      await this.#scheduler.cut();
      return this.queue();
    });
  }

  /** Hand an item to the running turn. @throws E_STATE when no turn runs */
  steerItem(item: string): Promise<QueueState> {
    return this.#decisions.post(async () => {
      const { text } = requireQueueItem(await this.queue(), item);
      const keep = async (all: string) => {
        await steerItem(this.#store, this.#queue.place(), item, all);
      };
      if ((await this.#runner.steer?.accept(text, keep)) !== true)
        throw new AppError("E_STATE", "no running turn to steer", { hint: "/queue send starts queued messages" });
      this.#waiters.forget(item, new AppError("E_INTERRUPTED", "the message was given to the running turn"));
      return this.queue();
    });
  }

  /** A decision from outside, between those of the actor. */
  decide<T>(work: () => Promise<T>): Promise<T> {
    return this.#decisions.post(work);
  }

  /** Change what is stored of the conversation while no turn of it runs. @throws E_STATE when one runs */
  alone<T>(work: () => Promise<T>): Promise<T> {
    this.goal.giveWay();
    return this.#decisions.post(async () => {
      if (!this.busy) return work();
      throw new AppError("E_STATE", `a turn of session ${this.session.id} is running`, {
        session: this.session.id,
        hint: "wait, or run /stop",
      });
    });
  }

  /** Work on the conversation itself while no turn runs; what comes meanwhile waits. @throws E_STATE when a turn runs */
  async within<T>(work: (conversation: Conversation, signal: AbortSignal) => Promise<T>): Promise<T> {
    const { judging } = this.goal;
    let cut: AbortSignal | undefined;
    const watched: typeof work = (conversation, signal) => {
      cut = signal;
      return work(conversation, signal);
    };
    const { result } = await this.alone(async () => ({ result: this.#runner.aside(watched) }));
    try {
      return await result;
    } finally {
      await this.#decisions.post(() => this.#scheduler.afterAside(judging, cut?.aborted === true));
      this.goal.tell();
    }
  }

  /** Run a shell line of the user. It waits for no turn, and ends when the user interrupts. */
  async shellLine(command: string, tell: boolean): Promise<ShellLine> {
    const control = new AbortController();
    this.#shellLines.add(control);
    try {
      return await this.#runner.conversation.shellLine(command, { tell, signal: control.signal });
    } finally {
      this.#shellLines.delete(control);
    }
  }

  #stopShellLines(): boolean {
    const stopped = this.#shellLines.size > 0;
    for (const control of this.#shellLines)
      control.abort(new AppError("E_INTERRUPTED", "interrupted by the user", { by: "user" }));
    return stopped;
  }

  /** To look at it, beside whatever runs. */
  get conversation(): Conversation {
    return this.#runner.conversation;
  }

  /** Its record or its messages were changed beside its turns. */
  changed(session: SessionRecord, transcript: Transcript): void {
    this.#runner.changed(session, transcript);
  }

  /** Resolves when no turn runs or is about to begin. */
  async idle(): Promise<void> {
    while (this.busy || this.#scheduler.settling) await this.goal.told(NEVER);
  }

  /** Resolves when nothing at all is under way: no turn, no decision, and no judgement of its goal, of which there is one behind each turn. */
  async settled(): Promise<void> {
    do {
      await this.idle();
      await this.goal.idle();
      await this.#decisions.idle();
    } while (this.busy || this.goal.judging);
  }

  /** A line for the viewers of the conversation; the model does not read it. */
  async note(text: string, code: string): Promise<void> {
    const { session, at } = this.#queue.place();
    const kept = await this.#runner.keepable(text);
    await this.#store.write("chat.note", async (tx) =>
      tx.emit({ kind: "notice", at, session, payload: { level: "info", code, text: kept } }),
    );
  }

  /** How it is worked: where, with which options. */
  get options(): NewSession {
    return this.#runner.options;
  }

  /** Say something in the name of the user, for who has decided that it is time. Within a decision. */
  async say(item: Pick<NewQueueItem, "text" | "kind" | "source">): Promise<void> {
    await this.#queue.add(item);
    await this.#scheduler.goOn();
  }

  /** Change the queue within a decision. */
  change(change: (state: QueueState) => QueueState): Promise<QueueState> {
    return this.#queue.change(change);
  }

  /** An active goal pauses, and its next step is not taken. Within a decision. @returns whether there was one */
  restGoal(reason: "user" | "interrupt"): Promise<boolean> {
    return this.#scheduler.restGoal(reason);
  }

  /** The last turn that ended here, and whether nothing more happens by itself. */
  async rest(): Promise<{ readonly last: TurnResult | undefined; readonly quiet: boolean }> {
    const { items, paused: waits } = await this.queue();
    const quiet = !this.busy && !this.goal.judging && !this.#scheduler.settling && (items.length === 0 || waits);
    return { last: this.#scheduler.last, quiet };
  }

  /** Interrupt what runs, and wait for its end. Nothing begins any more. */
  async stop(): Promise<void> {
    this.#scheduler.halt();
    this.goal.giveWay();
    await this.#runner.stop();
    await this.goal.idle();
    await this.#decisions.idle();
    await this.#runner.stop(); // a turn that a decision began meanwhile
    await this.#decisions.idle();
    this.#waiters.forgetAll(() => new AppError("E_OWNER_LOST", "the owner exited before the message started"));
    await this.#runner.letGo();
  }

  /** Let go of its tools. */
  letGo(): Promise<void> {
    return this.#runner.letGo();
  }

  /** What kind of front end it is worked for. */
  get source(): string {
    return this.#runner.options.source;
  }

  /** A text as it may be kept. */
  keepable(text: string): Promise<string> {
    return this.#runner.keepable(text);
  }

  async #postBusy(message: PostedMessage): Promise<Posted> {
    const { mode: asked = this.#deps.busyMode() } = message;
    const wanted = asked === "continue" ? "queue" : asked;
    const messaging = this.options.origin !== undefined;
    const mode = wanted === "auto" ? (messaging ? "interrupt" : "queue") : wanted;
    if (mode === "steer" && (await this.#steer(message.text))) return { did: "steered" };
    if (mode !== "interrupt") return { did: "queued", item: await this.#queue.add(toItem(message, this.source)) };
    const item = await this.#queue.item(toItem(message, this.source));
    await this.#queue.change((state) => first(state, item));
    await this.#scheduler.cut();
    return { did: "queued", item };
  }

  /** The turn that was cut off goes on, as a turn of its own. */
  async #continue(message: PostedMessage): Promise<Posted> {
    return settlePosted(
      await this.#decisions.post(async (): Promise<PostOutcome> => {
        if (this.busy)
          throw new AppError("E_STATE", "a turn is running; nothing to continue", { hint: "wait, or run /stop" });
        const ending = await this.#store.read((q) => lastEnding(q, this.session.id));
        if (ending === undefined || !CUT_OFF.has(ending))
          throw new AppError("E_STATE", "the last turn was not interrupted", { hint: "send a message instead" });
        return { begun: this.#runner.begin(goingOn(message)) };
      }),
    );
  }

  async #postQueued(message: PostedMessage): Promise<Posted> {
    const item = await this.#queue.add(toItem(message, this.source));
    await this.#scheduler.goOn();
    return { did: "queued", item };
  }

  /** The interrupted turn is followed by this message. */
  #runFirst(given: NewQueueItem, ran: boolean): Promise<void> {
    this.#scheduler.followed(ran);
    return this.#decisions.post(async () => {
      const item = await this.#queue.item(given);
      await this.#queue.change((state) => first(state, item));
      if (!this.busy) await this.#scheduler.goOn();
    });
  }

  async #steer(text: string): Promise<boolean> {
    const slot = this.#runner.steer;
    if (slot === undefined) return false;
    const own = await this.#runner.keepable(text);
    return slot.accept(own, (all) => keepSteer(this.#store, this.#queue.place(), { all, added: own }));
  }

  /** A waiting caller that is interrupted takes its message back; the running turn belongs to another one. */
  #takeBack(item: QueueItem): void {
    if (!this.#waiters.has(item.id)) return;
    this.remove(item.id).catch((error: unknown) =>
      this.#deps.log.warning("failed to take back a message", { error: String(error) }),
    );
  }
}

const NEVER = new AbortController().signal;
