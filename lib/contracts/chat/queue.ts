/** What waits in a conversation: its queue, and words for the turn that runs (core part, 9). */
import type { EpochMs, SessionId, TurnId } from "../../base/units.js";

/** `message`: of a person. `process_notice`: something in the background has ended. `continuation`: the next step of a goal. */
export type QueueKind = "message" | "process_notice" | "continuation";

export interface QueueItem {
  readonly id: string;
  readonly text: string;
  readonly attachments: readonly string[];
  /** Kind of the front end or part that gave it. */
  readonly source: string;
  /** Who gave it, for people: a name, a tool, a child. */
  readonly by: string;
  readonly created_at: EpochMs;
  readonly kind: QueueKind;
  /** Id given by a client to its request; the resulting turn has the same id. */
  readonly request?: string;
}

/** The queue of a lineage. Event `queue.changed` has the same form. */
export interface QueueState {
  readonly items: readonly QueueItem[];
  /** The queue is paused until the next message, or until it is resumed. */
  readonly paused: boolean;
}

export interface NewQueueItem {
  readonly text: string;
  readonly kind: QueueKind;
  readonly source: string;
  readonly by?: string;
  readonly attachments?: readonly string[];
  readonly request?: string;
}

/** What a message does that comes while a turn runs. `auto`: waits at terminals, interrupts on messaging platforms. */
export const BUSY_MODES = ["auto", "queue", "steer", "interrupt"] as const;
export type BusyMode = (typeof BUSY_MODES)[number];

/** A message of a front end. */
export interface PostedMessage {
  readonly session: SessionId;
  readonly text: string;
  /** Absent: `display.busy_input_mode`. `continue`: continue the interrupted turn; the text is ignored. */
  readonly mode?: BusyMode | "continue";
  readonly source?: string;
  readonly by?: string;
  /** Names the request of a client, so that it is found again. */
  readonly request?: string;
}

/** Outcome of a message, durable when reported. */
export type Posted =
  | { readonly did: "started"; readonly turn_id: TurnId }
  | { readonly did: "queued"; readonly item: QueueItem }
  /** The running turn gets it with its next tool result; without one it comes first in the queue. */
  | { readonly did: "steered" };

/** Outcome of a message as methods return it. */
export interface PostedJson {
  /** A turn began with it. */
  readonly turn_id?: TurnId;
  /** It waits in the queue. */
  readonly queued?: QueueItem;
  readonly steered?: true;
}

export interface InterruptOptions {
  /** Kill at once and wait for nothing. */
  readonly force?: boolean;
  /** Becomes the first item of the queue and runs next. */
  readonly text?: string;
}

/** One conversation that is open in the owner. */
export interface Activity {
  readonly session_id: SessionId;
  readonly lineage_root: SessionId;
  readonly title: string | null;
  readonly turn_id: TurnId | null;
  readonly phase: string;
  readonly detail: string;
  readonly since: EpochMs;
  /** Items in its queue. */
  readonly waiting: number;
}

/** State of a conversation for a front end that attaches. */
export interface SessionView {
  readonly turn_id: TurnId | null;
  /** Null: no turn runs. */
  readonly turn_started_at: EpochMs | null;
  readonly phase: string;
  readonly detail: string;
  readonly since: EpochMs;
  /** Program of another maker that works the turn; absent: the agent's own loop. */
  readonly program?: string;
  /** Text of the answer streamed so far. `text.delta` continues at its length (`offset`). */
  readonly streamed: string;
  /** Latest output of running calls, by call. `tool.progress` continues after it. */
  readonly output: Readonly<Record<string, string>>;
  readonly queue: QueueState;
  /** The program ended during the last turn; `continue` resumes it. */
  readonly cut_off: boolean;
}

/** The queue of a conversation, named by any session of its lineage. Every change is durable when it is confirmed. */
export interface QueueApi {
  /** A message to a conversation: starts a turn when none runs, else does what the mode says. Resolves when it is durable. @throws E_STATE when `continue` finds no turn that was cut off */
  post(message: PostedMessage): Promise<Posted>;
  /** Ask in a separate conversation; the answer is posted in this one without blocking it. @returns the other conversation */
  background(session: SessionId, text: string): Promise<SessionId>;
  queue(session: SessionId): Promise<QueueState>;
  /** Put something into the queue; it starts when its turn comes. @throws E_BUSY when it is full */
  queueAdd(session: SessionId, item: NewQueueItem): Promise<QueueItem>;
  /** @throws E_NOT_FOUND: it has begun or was removed */
  queueEdit(session: SessionId, item: string, text: string): Promise<QueueState>;
  /** Before another item, or to the end. Kinds keep their order. @throws E_NOT_FOUND */
  queueMove(session: SessionId, item: string, before: string | undefined): Promise<QueueState>;
  /** @throws E_NOT_FOUND */
  queueRemove(session: SessionId, item: string): Promise<QueueState>;
  /** Interrupt what runs and run this item next; without an item the first one. @throws E_NOT_FOUND */
  queueSendNow(session: SessionId, item: string | undefined): Promise<QueueState>;
  /** Hand the item to the running turn. @throws E_NOT_FOUND, E_STATE when no turn runs */
  queueSteer(session: SessionId, item: string): Promise<QueueState>;
  /** Words for the running turn. They come first in the queue when no turn runs, or when it ends before a tool result takes them. */
  steer(session: SessionId, text: string): Promise<Posted>;
  /** Current activity of a conversation. */
  view(session: SessionId): Promise<SessionView>;
  /** What runs, and what waits, in the conversations that are open here. */
  activity(): Promise<readonly Activity[]>;
}

/** What parts that work in the background use to tell a conversation that something has ended (kind `process_notice`). */
export type QueueNotice = (session: SessionId, notice: { readonly text: string; readonly by: string }) => Promise<void>;
