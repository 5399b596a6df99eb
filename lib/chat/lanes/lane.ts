// size: everything that decides what runs next in one conversation, one decision at a time
import type { Store } from "../../../storage/store.js";
import { lastEnding } from "../../../storage/tables/sessions-turns.js";
import type { Clock } from "../../base/clock.js";
import { AppError, toAppError } from "../../base/errors.js";
import type { Ids } from "../../base/ids.js";
import { LIMITS } from "../../base/limits.js";
import type { Log } from "../../base/log.js";
import { createMailbox } from "../../base/mailbox.js";
import type { SessionId, TurnId } from "../../base/units.js";
import type { NewSession, SessionRecord, SubmitTurn, Transcript, TurnResult } from "../../proto/chat.js";
import type { BusyMode, InterruptOptions, NewQueueItem, Posted, PostedMessage, QueueItem, QueueState } from "../../proto/chat-queue.js";
import { GO_ON } from "../again.js";
import type { Conversation } from "../conversation.js";
import type { Goals } from "../goal-engine.js";
import { createGoalLoop, type GoalLoop } from "./goal-loop.js";
import { added, edited, first, itemOf, moved, paused, removed, withoutContinuations } from "./queue.js";
import { changeQueue, keepSteer, type QueuePlace, readQueue, returnSteer, steerItem } from "./queue-store.js";
import { type Converse, onAbort, Runner, type Start, type Tell } from "./runner.js";

export interface LaneDeps {
  readonly converse: Converse;
  readonly tell: Tell;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** What a message does that comes while a turn runs (`display.busy_input_mode`). */
  busyMode(): BusyMode;
  /** The goal of a conversation as it is kept, with its judge. */
  goals(store: Store, session: SessionRecord, options: NewSession): Goals;
}

interface Waiter {
  readonly turn: SubmitTurn;
  readonly resolve: (result: Promise<TurnResult>) => void;
  readonly reject: (error: unknown) => void;
}

/** What a message has become, or the turn that it will be once it is durable. */
type Became = { readonly posted: Posted } | { readonly begun: Promise<TurnId> };

/** One lineage that is open in this owner: one turn at a time, everything else waits in its queue. */
export class Lane {
  readonly root: SessionId;
  readonly goal: GoalLoop;
  readonly #deps: LaneDeps;
  readonly #store: Store;
  readonly #runner: Runner;
  readonly #decisions: ReturnType<typeof createMailbox>;
  readonly #waiters = new Map<string, Waiter>();
  /** The end of the running turn does not make the queue wait: something is to run next. */
  #next = false;
  /** A turn has ended and it is not decided yet what follows. */
  #settling = 0;
  #stopping = false;
  #last: TurnResult | undefined;

  constructor(deps: LaneDeps, store: Store, session: SessionRecord, options: NewSession) {
    this.#deps = deps;
    this.#store = store;
    this.root = session.lineage_root;
    this.#decisions = createMailbox(session.id, LIMITS.mailbox);
    const { converse, tell, clock, log } = deps;
    const giveBack = (text: string) => returnSteer(store, this.#place(), { id: this.#id(), text });
    const ended = (result: TurnResult | undefined, error: unknown) => this.#ended(result, error);
    this.#runner = new Runner({ converse, tell, clock, log, store, giveBack, ended }, session, options);
    this.goal = createGoalLoop({
      goals: () => deps.goals(store, this.session, this.#runner.options),
      decide: (work) => this.#decisions.post(work),
      mayContinue: async () => !this.#stopping && !this.busy && (await this.queue()).items.length === 0,
      goOn: async (text) => {
        await this.#add({ text, kind: "continuation", source: "goal", by: "goal" });
        await this.#pump();
      },
      failed: (error) => deps.log.error("the goal of a conversation could not be judged", { session: this.session.id, error }),
    });
  }

  get session(): SessionRecord {
    return this.#runner.session;
  }

  get busy(): boolean {
    return this.#runner.busy;
  }

  get phase(): Runner["phase"] {
    return this.#runner.phase;
  }

  get inUse(): boolean {
    return this.busy || this.#decisions.waiting > 0 || this.#waiters.size > 0 || this.goal.judging;
  }

  /** What waits there begins when somebody who shows it has come. */
  async open(session: SessionRecord, options: NewSession): Promise<void> {
    await this.#runner.open(session, options);
    if (options.source === "workspace" || options.source === "inline") await this.#decisions.post(() => this.#pump());
  }

  queue(): Promise<QueueState> {
    return readQueue(this.#store, this.root);
  }

  /** A turn whose end the caller waits for. */
  async submit(turn: SubmitTurn): Promise<TurnResult> {
    const { result } = await this.#decisions.post(async () => {
      this.goal.giveWay();
      if (await this.#free()) return { result: this.#runner.start(startOf(turn), turn) };
      const item = await this.#add({ text: turn.text, kind: "message", source: this.source, ...requestOf(turn) });
      const waiting = new Promise<TurnResult>((resolve, reject) => this.#waiters.set(item.id, { turn, resolve, reject }));
      onAbort(turn.signal, () => this.#takeBack(item));
      if (!this.busy) await this.#goOn();
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
        if (await this.#free()) return { begun: this.#runner.begin(startOf(message)) };
        return { posted: await (this.busy ? this.#postBusy(message) : this.#postQueued(message)) };
      }),
    );
  }

  /** @returns whether there was something to interrupt */
  async interrupt({ force = false, text = "" }: InterruptOptions = {}): Promise<boolean> {
    const judged = this.goal.giveWay();
    const ran = this.#runner.interrupt(force);
    if (text.trim() !== "") await this.#runFirst({ text, kind: "message", source: this.source }, ran);
    else if (!ran && judged) await this.#decisions.post(() => this.restGoal("interrupt"));
    return ran || judged;
  }

  /** Words for the running turn, or else the next message. */
  async steer(text: string): Promise<Posted> {
    return become(
      await this.#decisions.post(async (): Promise<Became> => {
        this.goal.giveWay();
        if (await this.#steer(text)) return { posted: { did: "steered" } };
        if (await this.#free()) return { begun: this.#runner.begin({ text }) };
        const item = await this.#item({ text, kind: "message", source: this.source });
        await this.#change((state) => first(state, item));
        if (!this.busy) await this.#goOn();
        return { posted: { did: "queued", item } };
      }),
    );
  }

  /** It begins when its turn comes; a queue that waits goes on waiting. */
  add(item: NewQueueItem): Promise<QueueItem> {
    return this.#decisions.post(async () => {
      const made = await this.#add(item);
      await this.#pump();
      return made;
    });
  }

  edit(item: string, text: string): Promise<QueueState> {
    return this.#decisions.post(async () => {
      const own = await this.#runner.keepable(text);
      return this.#change((state) => edited(state, item, own));
    });
  }

  move(item: string, before: string | undefined): Promise<QueueState> {
    return this.#decisions.post(() => this.#change((state) => moved(state, item, before)));
  }

  remove(item: string): Promise<QueueState> {
    return this.#decisions.post(async () => {
      const left = await this.#change((state) => removed(state, item));
      this.#forget(item, new AppError("E_INTERRUPTED", "the message was removed from the queue before it began"));
      return left;
    });
  }

  /** Interrupt what runs and run this item next; without one, the first. */
  sendNow(item: string | undefined): Promise<QueueState> {
    return this.#decisions.post(async () => {
      this.goal.giveWay();
      await this.#change((state) => {
        const wanted = item === undefined ? state.items[0] : itemOf(state, item);
        return wanted === undefined ? state : paused(first(state, wanted), false);
      });
      this.#next = this.#runner.interrupt(false);
      if (!this.#next) await this.#goOn();
      return this.queue();
    });
  }

  /** Hand an item to the running turn. @throws E_STATE when there is none */
  steerItem(item: string): Promise<QueueState> {
    return this.#decisions.post(async () => {
      const { text } = itemOf(await this.queue(), item);
      const keep = async (all: string) => {
        await steerItem(this.#store, this.#place(), item, all);
      };
      if ((await this.#runner.steer?.accept(text, keep)) !== true)
        throw new AppError("E_STATE", "no turn runs that could be steered", { hint: "/queue send starts what waits" });
      this.#forget(item, new AppError("E_INTERRUPTED", "the message was handed to the running turn"));
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
      throw new AppError("E_STATE", `a turn of session ${this.session.id} is running`, { session: this.session.id, hint: "wait or /stop" });
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
      await this.#decisions.post(() => this.#afterAside(judging, cut?.aborted === true));
      this.goal.tell();
    }
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
    while (this.busy || this.#settling > 0) await this.goal.told(NEVER);
  }

  /** A word for whoever looks at the conversation; the model does not read it. */
  async note(text: string, code: string): Promise<void> {
    const { session, at } = this.#place();
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
    await this.#add(item);
    await this.#goOn();
  }

  /** Change the queue within a decision. */
  change(change: (state: QueueState) => QueueState): Promise<QueueState> {
    return this.#change(change);
  }

  /** An active goal pauses, and its next step is not taken. Within a decision. @returns whether there was one */
  async restGoal(reason: "user" | "interrupt"): Promise<boolean> {
    const rests = await this.goal.goals.pause(reason);
    if (rests) await this.#change(withoutContinuations);
    return rests;
  }

  /** The last turn that ended here, and whether nothing more happens by itself. */
  async rest(): Promise<{ readonly last: TurnResult | undefined; readonly quiet: boolean }> {
    const { items, paused: waits } = await this.queue();
    const quiet = !this.busy && !this.goal.judging && this.#settling === 0 && (items.length === 0 || waits);
    return { last: this.#last, quiet };
  }

  /** Interrupt what runs, and wait for its end. Nothing begins any more. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.goal.giveWay();
    await this.#runner.stop();
    await this.goal.idle();
    await this.#decisions.idle();
    await this.#runner.stop(); // a turn that a decision began meanwhile
    await this.#decisions.idle();
    for (const id of this.#waiters.keys()) this.#forget(id, new AppError("E_OWNER_LOST", "the owner ended before the message began"));
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

  /** A message may begin at once: nothing runs and nobody waits. */
  async #free(): Promise<boolean> {
    return !this.busy && (await this.queue()).items.length === 0;
  }

  async #postBusy(message: PostedMessage): Promise<Posted> {
    const { mode: asked = this.#deps.busyMode() } = message;
    const wanted = asked === "continue" ? "queue" : asked;
    const mode = wanted === "auto" ? (this.#messaging ? "interrupt" : "queue") : wanted;
    if (mode === "steer" && (await this.#steer(message.text))) return { did: "steered" };
    if (mode !== "interrupt") return { did: "queued", item: await this.#add(toItem(message, this.source)) };
    const item = await this.#item(toItem(message, this.source));
    await this.#change((state) => first(state, item));
    this.#next = this.#runner.interrupt(false);
    if (!this.#next) await this.#goOn();
    return { did: "queued", item };
  }

  /** The turn that was cut off goes on, as a turn of its own that is told what happened (core part, 2.6). */
  async #continue(message: PostedMessage): Promise<Posted> {
    return become(
      await this.#decisions.post(async (): Promise<Became> => {
        if (this.busy) throw new AppError("E_STATE", "a turn is running; there is nothing to go on with", { hint: "wait or /stop" });
        const ending = await this.#store.read((q) => lastEnding(q, this.session.id));
        if (ending === undefined || !CUT_OFF.has(ending))
          throw new AppError("E_STATE", "the last turn was not cut off", { hint: "send a message instead" });
        const wireOnly = [{ role: "user", content: WAS_CUT_OFF } as const];
        return { begun: this.#runner.begin({ text: GO_ON, wireOnly, resumes: true, ...requestOf(message) }) };
      }),
    );
  }

  async #postQueued(message: PostedMessage): Promise<Posted> {
    const item = await this.#add(toItem(message, this.source));
    await this.#goOn();
    return { did: "queued", item };
  }

  /** The interrupted turn is followed by this message. */
  #runFirst(given: NewQueueItem, ran: boolean): Promise<void> {
    this.#next = ran;
    return this.#decisions.post(async () => {
      const item = await this.#item(given);
      await this.#change((state) => first(state, item));
      if (!this.busy) await this.#goOn();
    });
  }

  async #steer(text: string): Promise<boolean> {
    const slot = this.#runner.steer;
    if (slot === undefined) return false;
    const own = await this.#runner.keepable(text);
    return slot.accept(own, (all) => keepSteer(this.#store, this.#place(), { all, added: own }));
  }

  get #messaging(): boolean {
    return this.#runner.options.origin !== undefined;
  }

  async #goOn(): Promise<void> {
    await this.#change((state) => paused(state, false));
    await this.#pump();
  }

  /** Start the first item, unless something runs or the queue waits. */
  async #pump(): Promise<void> {
    if (this.busy || this.#stopping) return;
    const { items, paused: waits } = await this.queue();
    const [item] = items;
    if (item === undefined || this.#stopping || (waits && !this.#waiters.has(item.id))) return;
    const waiter = this.#waiters.get(item.id);
    this.#waiters.delete(item.id);
    const own = waiter === undefined ? {} : startOf(waiter.turn);
    const result = this.#runner.start({ ...own, text: item.text, item: item.id, ...requestOf(item) }, waiter?.turn ?? {});
    waiter?.resolve(result);
  }

  /** The lane is free at once; what comes next is decided behind what was asked before. */
  #ended(result: TurnResult | undefined, error: unknown): void {
    this.#last = result ?? this.#last;
    this.#settling += 1;
    this.#decisions
      .post(() => this.#after(result, error))
      .catch((thrown: unknown) => this.#deps.log.error("what waits could not be started", { error: toAppError(thrown).message }))
      .finally(() => {
        this.#settling -= 1;
        this.goal.tell();
      });
  }

  async #after(result: TurnResult | undefined, error: unknown): Promise<void> {
    const next = this.#next;
    this.#next = false;
    if (this.#stopping) return;
    if (error !== undefined) this.#deps.tell(this.session.id, undefined, "notice", { level: "error", text: toAppError(error).message });
    const interrupted = result?.interrupted === true;
    if (interrupted) await this.restGoal("interrupt");
    const bad = result === undefined || interrupted || result.failed;
    if (bad && !next && !this.#messaging) await this.#change((state) => (state.items.length === 0 ? state : paused(state, true)));
    await this.#pump();
    if (result !== undefined && !bad && !this.busy) this.goal.judge(result);
  }

  /** What was said meanwhile begins; a judgement that gave way is taken again, unless the user wants an end. */
  async #afterAside(judging: boolean, interrupted: boolean): Promise<void> {
    const next = this.#next;
    this.#next = false;
    if (this.#stopping) return;
    if (judging && interrupted) await this.restGoal("interrupt");
    await (next ? this.#goOn() : this.#pump());
    if (judging && !interrupted && !this.busy && this.#last !== undefined) this.goal.judge(this.#last);
  }

  #id(): string {
    return `q_${this.#deps.ids.hex(8)}`;
  }

  async #item({ text, kind, source, by = "user", attachments = [], request }: NewQueueItem): Promise<QueueItem> {
    const own = await this.#runner.keepable(text);
    const item = { id: this.#id(), text: own, attachments, source, by, created_at: this.#deps.clock.now(), kind };
    return request === undefined ? item : { ...item, request };
  }

  async #add(given: NewQueueItem): Promise<QueueItem> {
    const item = await this.#item(given);
    await this.#change((state) => added(state, item));
    return item;
  }

  #change(change: (state: QueueState) => QueueState): Promise<QueueState> {
    return changeQueue(this.#store, this.#place(), change);
  }

  #place(): QueuePlace {
    return { root: this.root, session: this.session.id, at: this.#deps.clock.now() };
  }

  #forget(item: string, error: AppError): void {
    this.#waiters.get(item)?.reject(error);
    this.#waiters.delete(item);
  }

  /** Who waits for its turn and is interrupted takes its message back; the turn that runs is somebody else's. */
  #takeBack(item: QueueItem): void {
    if (!this.#waiters.has(item.id)) return;
    this.remove(item.id).catch((error: unknown) => this.#deps.log.warning("a message was not taken back", { error: String(error) }));
  }
}

const NEVER = new AbortController().signal;

/** Ends of a turn that another one may go on from. */
const CUT_OFF: ReadonlySet<string> = new Set(["owner_stopped", "interrupted_by_user", "interrupted_during_api_call"]);
const WAS_CUT_OFF =
  "[The previous turn was cut off. What its tools did is recorded above: do not repeat work that is already done. " +
  "If the outcome of an action is unclear, say so and ask.]";

const requestOf = ({ request }: { readonly request?: string | undefined }) => (request === undefined ? {} : { request });

function startOf(turn: SubmitTurn | PostedMessage): Start {
  const { session: _session, ...rest } = turn;
  const { signal: _signal, force: _force, ...start } = { signal: undefined, force: undefined, ...rest };
  return start;
}

function toItem(message: PostedMessage, own: string): NewQueueItem {
  const { text, source = own, by } = message;
  return { text, kind: "message", source, ...(by === undefined ? {} : { by }), ...requestOf(message) };
}

async function become(became: Became): Promise<Posted> {
  return "posted" in became ? became.posted : { did: "started", turn_id: await became.begun };
}
