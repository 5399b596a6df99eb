import type { Store, Tx } from "../../../storage/store.js";
import * as rows from "../../../storage/tables/sessions/parked.js";
import { AppError, toAppError } from "../../base/errors.js";
import { LIMITS } from "../../base/limits.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import { settlesWithin } from "../../base/time/settles-within.js";
import type { Ms, SessionId } from "../../base/units.js";
import type { FormAnswer, ParkTicket, QuestionParking, ResumedForm } from "../../contracts/chat/form.js";
import type { OpenQuestion } from "../../contracts/chat/questions.js";

type FormQuestion = Extract<OpenQuestion, { kind: "form" }>;
type Handler = (answered: ResumedForm) => Promise<void>;

/** Questions that outlive their owner: rows of the session store until their answers are handed over. */
export interface Parking extends QuestionParking {
  /** @throws E_INVALID for a ticket that is not JSON or too long, E_NOT_FOUND for a session that has gone */
  park(question: FormQuestion, ticket: ParkTicket): Promise<void>;
  /** Wait for the answer; it is handed over here while this waits. `parked`: the time is over and the question stays open. */
  wait(request: string, how: { readonly signal: AbortSignal; readonly timeoutMs: Ms }): Promise<FormAnswer>;
  /** Those that are open, the oldest first. Reads what an earlier owner has left. */
  open(): Promise<readonly FormQuestion[]>;
  /** Undefined: no such question is open. */
  find(request: string): FormQuestion | undefined;
  /** The answer counts, once. @returns false when another one did */
  answer(question: FormQuestion, answer: FormAnswer, by: string): Promise<boolean>;
  /** What was begun is stored; handlers that run are waited for. */
  stop(): Promise<void>;
}

export interface ParkingDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** The store that holds a session; without one, that of conversations which are kept. */
  store(session?: SessionId): Promise<Store>;
}

interface Entry {
  readonly question: FormQuestion;
  readonly ticket: ParkTicket;
  waiter: ((answer: FormAnswer) => void) | undefined;
  stopTimer: () => void;
}

export function createParking(deps: ParkingDeps): Parking {
  const { clock } = deps;
  const open = new Map<string, Entry>();
  const work = handingOver(deps);
  const expired: FormAnswer = { action: "cancel", content: {}, why: "timeout" };
  const put = (question: FormQuestion, ticket: ParkTicket): void => {
    if (open.has(question.request)) return;
    const entry: Entry = { question, ticket, waiter: undefined, stopTimer: () => undefined };
    open.set(question.request, entry);
    const left = Math.max(0, (question.expires_at ?? clock.now() + LIMITS.parkedMs) - clock.now());
    entry.stopTimer = clock.after(left, () => work.beside(answer(question, expired, "timeout")));
  };
  const load = async (): Promise<void> => {
    for (const row of await (await deps.store()).read((q) => rows.all(q))) {
      const ticket: ParkTicket = { kind: row.ticket_kind, data: JSON.parse(row.ticket) };
      const question: FormQuestion = JSON.parse(row.question); // written by `park`
      if (row.state === "open") put(question, ticket);
      else if (row.answer !== null)
        work.add({ question, ticket, answer: JSON.parse(row.answer), again: row.handed === 1 });
    }
  };
  let loading: Promise<void> | undefined;
  const loaded = (): Promise<void> => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined; // the next caller tries again
      throw error;
    });
    return loading;
  };
  const answer = async (question: FormQuestion, given: FormAnswer, by: string): Promise<boolean> => {
    const { request } = question;
    const entry = open.get(request);
    if (entry === undefined) return false;
    open.delete(request); // a second answer meets no open question
    const { waiter } = entry;
    const at = clock.now();
    const counted = async (tx: Tx): Promise<boolean> => {
      const counts =
        waiter === undefined ? await rows.answer(tx, request, JSON.stringify(given)) : await rows.take(tx, request);
      if (!counts) return false;
      tx.emit({
        kind: "form.resolved",
        at,
        session: question.session_id,
        payload: resolved(request, given, by),
        ...turnOf(question),
      });
      return true;
    };
    try {
      const counts = await (await deps.store(question.session_id)).write("chat.parked-answer", counted);
      entry.stopTimer();
      if (!counts) waiter?.({ action: "cancel", content: {}, why: "interrupted" });
      else if (waiter !== undefined) waiter(given);
      else work.add({ question, ticket: entry.ticket, answer: given, again: false });
      return counts;
    } catch (error) {
      open.set(request, entry);
      throw error;
    }
  };
  return {
    find: (request) => open.get(request)?.question,
    answer,
    open: async () => {
      await loaded();
      if (open.size === 0) return [];
      const there = await (await deps.store()).read((q) => rows.open(q));
      const kept = [...open.values()].filter(({ question }) => there.has(question.request));
      return kept.map(({ question }) => question);
    },
    park: async (question, ticket) => {
      const json = ticketJson(ticket);
      const at = clock.now();
      const { request, session_id, lineage_root, data, expires_at, origin } = question;
      const row = {
        request,
        session_id,
        lineage_root,
        question: JSON.stringify(question),
        ticket_kind: ticket.kind,
        ticket: json,
        at,
      };
      await (await deps.store(session_id)).write("chat.park", async (tx) => {
        if (!(await rows.insert(tx, row)))
          throw new AppError("E_NOT_FOUND", `no such session: ${session_id}`, { session: session_id });
        const payload = { request, ...data, expires_at, origin };
        tx.emit({ kind: "form.requested", at, session: session_id, payload, ...turnOf(question) });
      });
      put(question, ticket);
    },
    wait: (request, { signal, timeoutMs }) => {
      const entry = open.get(request);
      if (entry === undefined) return Promise.resolve({ action: "cancel", content: {}, why: "parked" });
      return new Promise((resolve) => {
        const leave = (answered: FormAnswer): void => {
          stopTimer();
          signal.removeEventListener("abort", onAbort);
          if (entry.waiter === leave) entry.waiter = undefined;
          resolve(answered);
        };
        // An answer that is being stored is waited for: it is for the present waiter.
        const away = (why: "interrupted" | "parked") => () =>
          open.has(request) && leave({ action: "cancel", content: {}, why });
        const onAbort = away("interrupted");
        const stopTimer = timeoutMs > 0 ? clock.after(timeoutMs, away("parked")) : () => undefined;
        entry.waiter = leave;
        signal.addEventListener("abort", onAbort, { once: true });
        if (signal.aborted) onAbort();
      });
    },
    resume: (kind, handler) => {
      work.beside(loaded());
      return work.take(kind, handler);
    },
    stop: async () => {
      for (const { stopTimer } of open.values()) stopTimer();
      await settlesWithin(clock, STOP_MS, work.idle());
    },
  };
}

/** What a handler has not done by then is handed over again by the next owner. */
const STOP_MS: Ms = 2_000;

interface Answered {
  readonly question: FormQuestion;
  readonly ticket: ParkTicket;
  readonly answer: FormAnswer;
  readonly again: boolean;
}

/** Answers on their way to their handlers. */
function handingOver({ log, store }: ParkingDeps) {
  const handlers = new Map<string, Handler>();
  const waiting = new Map<string, Answered>();
  const running = new Set<Promise<void>>();
  const beside = (promise: Promise<unknown>): void => {
    const told: Promise<void> = promise.then(
      () => undefined,
      (error: unknown) =>
        log.warning("failed to hand over the answer of a question", { error: toAppError(error).message }),
    );
    running.add(told);
    told.finally(() => running.delete(told)).catch(() => undefined); // it never rejects
  };
  /** The mark goes before the call, the row after it: a crash in between is reported to the next owner's handler. */
  const hand = async ({ question, ticket, answer, again }: Answered, handler: Handler): Promise<void> => {
    const { request, session_id: session } = question;
    const kept = await store(session);
    if (!(await kept.write("chat.parked-hand", (tx) => rows.hand(tx, request)))) return;
    try {
      await handler({ request, session, ticket: ticket.data, answer, again });
    } finally {
      await kept.write("chat.parked-done", (tx) => rows.remove(tx, request));
    }
  };
  const next = (kind: string): void => {
    const handler = handlers.get(kind);
    if (handler === undefined) return;
    for (const [request, one] of waiting) {
      if (one.ticket.kind !== kind) continue;
      waiting.delete(request);
      beside(hand(one, handler));
    }
  };
  return {
    beside,
    add: (answered: Answered) => {
      waiting.set(answered.question.request, answered);
      next(answered.ticket.kind);
    },
    take: (kind: string, handler: Handler) => {
      handlers.set(kind, handler);
      next(kind);
      return () => {
        if (handlers.get(kind) === handler) handlers.delete(kind);
      };
    },
    idle: async () => {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

function ticketJson({ data }: ParkTicket): string {
  const json: string | undefined = JSON.stringify(data);
  if (json !== undefined && json.length <= LIMITS.ticketChars) return json;
  throw new AppError("E_INVALID", `a ticket of a question must be JSON of at most ${LIMITS.ticketChars} characters`);
}

const turnOf = ({ turn_id }: FormQuestion) => (turn_id === null ? {} : { turn: turn_id });

const resolved = (request: string, { action, why }: FormAnswer, by: string) => ({
  request,
  answer: why === undefined ? action : null,
  by,
  ...(why === undefined ? {} : { why }),
});
