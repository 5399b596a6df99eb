import type { Store } from "../../storage/store.js";
import { AppError } from "../base/errors.js";
import { LIMITS } from "../base/limits.js";
import { createMailbox, type Mailbox } from "../base/mailbox.js";
import type { SessionId, TurnId } from "../base/units.js";
import type { NewSession, SessionRecord, SubmitTurn, Transcript, TurnResult } from "../proto/chat.js";
import type { Conversation } from "./conversation.js";

type Live = (event: string, data: Readonly<Record<string, unknown>>) => void;

/** Makes the conversation of a session when its first turn begins. */
export type Converse = (store: Store, session: SessionRecord, options: NewSession, live: Live) => Conversation;

/** A conversation that is open in this owner. One turn at a time; the rest waits in the mailbox. */
interface Open {
  /** As it was when it was opened last; what its turns have stored since is in the conversation. */
  session: SessionRecord;
  options: NewSession;
  readonly mailbox: Mailbox;
  conversation: Conversation | undefined;
  running: AbortController | undefined;
  /** Turn that runs, once its message is durable: what is told belongs to it. */
  turn: TurnId | undefined;
}

export interface OpenSessions {
  /** Remember how a session is to be worked. Options of a session that is open already hold from its next turn on. */
  open(session: SessionRecord, options: NewSession): Promise<void>;
  isOpen(id: SessionId): boolean;
  run(store: Store, turn: SubmitTurn): Promise<TurnResult>;
  /** False when no turn of it runs. */
  interrupt(id: SessionId): boolean;
  /** A turn of it runs or waits. */
  isBusy(id: SessionId): boolean;
  /** Resolves when no turn of it runs or waits. */
  idle(id: SessionId): Promise<void>;
  /** Change what is stored of a session while no turn of it runs. @throws E_STATE when one runs or waits */
  alone<T>(id: SessionId, work: () => Promise<T>): Promise<T>;
  /** Its record or its messages were changed beside its turns. */
  changed(session: SessionRecord, transcript: Transcript): void;
  /** Let go of a session's tools. @throws E_RUNNING while a turn of it runs */
  close(id: SessionId): Promise<void>;
  running(): number;
  stop(): Promise<void>;
}

export function createOpenSessions(
  converse: Converse,
  tell: (session: SessionId, turn: TurnId | undefined, event: string, data: Readonly<Record<string, unknown>>) => void,
): OpenSessions {
  const all = new Map<SessionId, Open>();
  return {
    open: async (session, options) => {
      const known = all.get(session.id);
      if (!known) {
        all.set(session.id, {
          session,
          options,
          mailbox: createMailbox(session.id, LIMITS.queueItems),
          conversation: undefined,
          running: undefined,
          turn: undefined,
        });
        return;
      }
      known.session = session; // its turns have given it a prompt, a title and counters meanwhile
      known.options = options;
      if (known.running === undefined) await letGo(known);
    },
    isOpen: (id) => all.has(id),
    run: async (store, turn) => {
      const mine = all.get(turn.session);
      if (!mine) throw new AppError("E_NOT_FOUND", `session ${turn.session} is not open`);
      all.delete(turn.session);
      all.set(turn.session, mine); // in order of use
      try {
        return await mine.mailbox.post(() => work(mine, store, turn, { converse, tell }));
      } finally {
        await letGoOldest(all);
      }
    },
    interrupt: (id) => {
      const control = all.get(id)?.running;
      control?.abort(new AppError("E_INTERRUPTED", "interrupted by the user"));
      return control !== undefined;
    },
    ...beside(all),
    close: async (id) => {
      const mine = all.get(id);
      if (!mine) return;
      if (mine.running) throw new AppError("E_RUNNING", `a turn of ${id} is running`, { hint: "interrupt it first" });
      all.delete(id);
      await letGo(mine);
    },
    running: () => [...all.values()].filter((mine) => mine.running !== undefined).length,
    stop: async () => {
      for (const mine of all.values()) mine.running?.abort(new AppError("E_INTERRUPTED", "the owner is stopping"));
      for (const mine of all.values()) {
        await mine.mailbox.idle();
        await letGo(mine);
      }
      all.clear();
    },
  };
}

const isBusy = (mine: Open | undefined): boolean => mine !== undefined && (mine.running !== undefined || mine.mailbox.waiting > 0);

/** What changes a conversation beside its turns. */
function beside(all: ReadonlyMap<SessionId, Open>): Pick<OpenSessions, "isBusy" | "idle" | "alone" | "changed"> {
  return {
    isBusy: (id) => isBusy(all.get(id)),
    idle: async (id) => all.get(id)?.mailbox.idle(),
    alone: async (id, work) => {
      const mine = all.get(id);
      if (mine === undefined) return work();
      if (isBusy(mine)) throw new AppError("E_STATE", `a turn of session ${id} is running`, { session: id, hint: "wait or /stop" });
      return mine.mailbox.post(work);
    },
    changed: (session, transcript) => {
      const mine = all.get(session.id);
      if (mine === undefined) return;
      mine.session = session;
      mine.conversation?.follow(transcript);
    },
  };
}

/** Tools of conversations that nobody has used for long are let go; their sessions open again at their next turn. */
async function letGoOldest(all: Map<SessionId, Open>): Promise<void> {
  for (const [id, mine] of all) {
    if (all.size <= LIMITS.openConversations) return;
    if (mine.running !== undefined || mine.mailbox.waiting > 0) continue;
    all.delete(id);
    await letGo(mine);
  }
}

interface Hands {
  readonly converse: Converse;
  readonly tell: (session: SessionId, turn: TurnId | undefined, event: string, data: Readonly<Record<string, unknown>>) => void;
}

async function work(mine: Open, store: Store, turn: SubmitTurn, { converse, tell }: Hands): Promise<TurnResult> {
  const control = new AbortController();
  mine.running = control;
  mine.conversation ??= converse(store, mine.session, mine.options, (event, data) => tell(mine.session.id, mine.turn, event, data));
  const onTurn = (id: TurnId) => {
    mine.turn = id;
    turn.onTurn?.(id);
  };
  const { text, maxTurns, onNotice, request: asked } = turn;
  const request = {
    ...{ text, onTurn },
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(onNotice === undefined ? {} : { onNotice }),
    ...(asked === undefined ? {} : { request: asked }),
  };
  try {
    return await mine.conversation.run(request, control.signal);
  } finally {
    mine.running = undefined;
    mine.turn = undefined;
  }
}

async function letGo(mine: Open): Promise<void> {
  const { conversation } = mine;
  mine.conversation = undefined;
  await conversation?.close();
}
