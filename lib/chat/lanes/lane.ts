// size: the verbs of one conversation, each of them short
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
import { edited, first, itemOf, moved, paused, removed } from "../transcript/queue.js";
import { keepSteer, returnSteer, steerItem } from "../transcript/queue-store.js";
import { Course } from "./course.js";
import { LaneQueue } from "./lane-queue.js";
import { type Became, become, CUT_OFF, goingOn, requestOf, startOf, toItem } from "./messages.js";
import { type Converse, onAbort, type TellSession, TurnRunner } from "./runner.js";
import { Waiters } from "./waiters.js";

export interface LaneDeps {
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
export class Lane {
  readonly root: SessionId;
  readonly goal: GoalLoop;
  readonly #deps: LaneDeps;
  readonly #store: Store;
  readonly #runner: TurnRunner;
  readonly #queue: LaneQueue;
  readonly #course: Course;
  readonly #decisions: Mailbox;
  readonly #waiters = new Waiters();
  readonly #shellLines = new Set<AbortController>();

  constructor(deps: LaneDeps, store: Store, session: SessionRecord, options: NewSession) {
    this.#deps = deps;
    this.#store = store;
    this.root = session.lineage_root;
    this.#decisions = createMailbox(session.id, LIMITS.mailbox);
    const { converse, tell, clock, ids, log } = deps;
    const keepable = (text: string) => this.#runner.keepable(text);
    const queue = new LaneQueue({ store, clock, ids, root: this.root, session: () => this.session.id, keepable });
    this.#queue = queue;
    const giveBack = (text: string) => returnSteer(store, queue.place(), { id: queue.newId(), text });
    const ended = (result: TurnResult | undefined, error: unknown) => this.#course.ended(result, error);
    this.#runner = new TurnRunner({ converse, tell, clock, log, store, giveBack, ended }, session, options);
    this.goal = this.#goalLoop();
    const { goal } = this;
    this.#course = new Course({
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
      mayContinue: async () => !this.#course.stopping && (await this.#course.free()),
      goOn: async (text) => {
        await this.#queue.add({ text, kind: "continuation", source: "goal", by: "goal" });
        await this.#course.pump();
      },
      failed: (error) =>
        log.error("the goal of a conversation could not be judged", { session: this.session.id, error }),
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

  /** What waits there begins when somebody who shows it has come. */
  async open(session: SessionRecord, options: NewSession): Promise<void> {
    await this.#runner.open(session, options);
    if (options.source === "workspace" || options.source === "inline")
      await this.#decisions.post(() => this.#course.pump());
  }

  queue(): Promise<QueueState> {
    return this.#queue.read();
  }

  /** A turn whose end the caller waits for. */
  async submit(turn: SubmitTurn): Promise<TurnResult> {
    const { result } = await this.#decisions.post(async () => {
      this.goal.giveWay();
      if (await this.#course.free()) return { result: this.#runner.start(startOf(turn), turn) };
      const item = await this.#queue.add({ text: turn.text, kind: "message", source: this.source, ...requestOf(turn) });
      const waiting = this.#waiters.wait(item.id, turn);
      onAbort(turn.signal, () => this.#takeBack(item));
      if (!this.busy) await this.#course.goOn();
      return { result: waiting };
    });
    return result;
  }

  /** A message of a front end, which sees what becomes of it. */
  async post(message: PostedMessage): Promise<Posted> {
    if (message.mode === "continue") return this.#continue(message);
    return become(
      await this.#decisions.post(async (): Promise<Became> => {
        this.goal.giveWay();
        if (await this.#course.free()) return { begun: this.#runner.begin(startOf(message)) };
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
    return become(
      await this.#decisions.post(async (): Promise<Became> => {
        this.goal.giveWay();
        if (await this.#steer(text)) return { posted: { did: "steered" } };
        if (await this.#course.free()) return { begun: this.#runner.begin({ text }) };
        const item = await this.#queue.item({ text, kind: "message", source: this.source });
        await this.#queue.change((state) => first(state, item));
        if (!this.busy) await this.#course.goOn();
        return { posted: { did: "queued", item } };
      }),
    );
  }

  /** It begins when its turn comes; a queue that waits goes on waiting. */
  add(item: NewQueueItem): Promise<QueueItem> {
    return this.#decisions.post(async () => {
      const made = await this.#queue.add(item);
      await this.#course.pump();
      return made;
    });
  }

  edit(item: string, text: string): Promise<QueueState> {
    return this.#decisions.post(async () => {
      const own = await this.#runner.keepable(text);
      return this.#queue.change((state) => edited(state, item, own));
    });
  }

  move(item: string, before: string | undefined): Promise<QueueState> {
    return this.#decisions.post(() => this.#queue.change((state) => moved(state, item, before)));
  }

  remove(item: string): Promise<QueueState> {
    return this.#decisions.post(async () => {
      const left = await this.#queue.change((state) => removed(state, item));
      this.#waiters.forget(
        item,
        new AppError("E_INTERRUPTED", "the message was removed from the queue before it began"),
      );
      return left;
    });
  }

  /** Interrupt what runs and run this item next; without one, the first. */
  sendNow(item: string | undefined): Promise<QueueState> {
    return this.#decisions.post(async () => {
      this.goal.giveWay();
      await this.#queue.change((state) => {
        const wanted = item === undefined ? state.items[0] : itemOf(state, item);
        return wanted === undefined ? state : paused(first(state, wanted), false);
      });
      await this.#course.cut();
      return this.queue();
    });
  }

  /** Hand an item to the running turn. @throws E_STATE when there is none */
  steerItem(item: string): Promise<QueueState> {
    return this.#decisions.post(async () => {
      const { text } = itemOf(await this.queue(), item);
      const keep = async (all: string) => {
        await steerItem(this.#store, this.#queue.place(), item, all);
      };
      if ((await this.#runner.steer?.accept(text, keep)) !== true)
        throw new AppError("E_STATE", "no turn runs that could be steered", { hint: "/queue send starts what waits" });
      this.#waiters.forget(item, new AppError("E_INTERRUPTED", "the message was handed to the running turn"));
      return this.queue();
    });
  }

  /** A decision of somebody else, between those of the lane. */
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
        hint: "wait or /stop",
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
      await this.#decisions.post(() => this.#course.afterAside(judging, cut?.aborted === true));
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
    while (this.busy || this.#course.settling) await this.goal.told(NEVER);
  }

  /** Resolves when nothing at all is under way: no turn, no decision, and no judgement of its goal, of which there is one behind each turn. */
  async settled(): Promise<void> {
    do {
      await this.idle();
      await this.goal.idle();
      await this.#decisions.idle();
    } while (this.busy || this.goal.judging);
  }

  /** A word for whoever looks at the conversation; the model does not read it. */
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
    await this.#course.goOn();
  }

  /** Change the queue within a decision. */
  change(change: (state: QueueState) => QueueState): Promise<QueueState> {
    return this.#queue.change(change);
  }

  /** An active goal pauses, and its next step is not taken. Within a decision. @returns whether there was one */
  restGoal(reason: "user" | "interrupt"): Promise<boolean> {
    return this.#course.restGoal(reason);
  }

  /** The last turn that ended here, and whether nothing more happens by itself. */
  async rest(): Promise<{ readonly last: TurnResult | undefined; readonly quiet: boolean }> {
    const { items, paused: waits } = await this.queue();
    const quiet = !this.busy && !this.goal.judging && !this.#course.settling && (items.length === 0 || waits);
    return { last: this.#course.last, quiet };
  }

  /** Interrupt what runs, and wait for its end. Nothing begins any more. */
  async stop(): Promise<void> {
    this.#course.halt();
    this.goal.giveWay();
    await this.#runner.stop();
    await this.goal.idle();
    await this.#decisions.idle();
    await this.#runner.stop(); // a turn that a decision began meanwhile
    await this.#decisions.idle();
    this.#waiters.forgetAll(() => new AppError("E_OWNER_LOST", "the owner ended before the message began"));
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
    await this.#course.cut();
    return { did: "queued", item };
  }

  /** The turn that was cut off goes on, as a turn of its own. */
  async #continue(message: PostedMessage): Promise<Posted> {
    return become(
      await this.#decisions.post(async (): Promise<Became> => {
        if (this.busy)
          throw new AppError("E_STATE", "a turn is running; there is nothing to go on with", { hint: "wait or /stop" });
        const ending = await this.#store.read((q) => lastEnding(q, this.session.id));
        if (ending === undefined || !CUT_OFF.has(ending))
          throw new AppError("E_STATE", "the last turn was not cut off", { hint: "send a message instead" });
        return { begun: this.#runner.begin(goingOn(message)) };
      }),
    );
  }

  async #postQueued(message: PostedMessage): Promise<Posted> {
    const item = await this.#queue.add(toItem(message, this.source));
    await this.#course.goOn();
    return { did: "queued", item };
  }

  /** The interrupted turn is followed by this message. */
  #runFirst(given: NewQueueItem, ran: boolean): Promise<void> {
    this.#course.followed(ran);
    return this.#decisions.post(async () => {
      const item = await this.#queue.item(given);
      await this.#queue.change((state) => first(state, item));
      if (!this.busy) await this.#course.goOn();
    });
  }

  async #steer(text: string): Promise<boolean> {
    const slot = this.#runner.steer;
    if (slot === undefined) return false;
    const own = await this.#runner.keepable(text);
    return slot.accept(own, (all) => keepSteer(this.#store, this.#queue.place(), { all, added: own }));
  }

  /** Who waits for its turn and is interrupted takes its message back; the turn that runs is somebody else's. */
  #takeBack(item: QueueItem): void {
    if (!this.#waiters.has(item.id)) return;
    this.remove(item.id).catch((error: unknown) =>
      this.#deps.log.warning("a message was not taken back", { error: String(error) }),
    );
  }
}

const NEVER = new AbortController().signal;
