import type { Store, Tx } from "../../../storage/store.js";
import * as rows from "../../../storage/tables/sessions/parked.js";
import { AppError } from "../../base/errors.js";
import { LIMITS } from "../../base/limits.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import { settlesWithin } from "../../base/time/settles-within.js";
import type { Ms, SessionId } from "../../base/units.js";
import type { FormAnswer, FormUnanswered, ParkTicket, QuestionParking } from "../../contracts/chat/form.js";
import type { FormQuestion } from "../../contracts/chat/questions.js";
import { createAnswerHandover } from "./answer-handover.js";

/** What a handler has not done by then is handed over again by the next owner. */
const STOP_MS: Ms = 2_000;

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

/** A call that waits for an answer. */
interface Waiter {
  take(answer: FormAnswer): void;
  /** The answer could not be stored: the wait ends now if it should have ended meanwhile. */
  answerFailed(): void;
}

interface Entry {
  readonly question: FormQuestion;
  readonly ticket: ParkTicket;
  waiter: Waiter | undefined;
  stopTimer: () => void;
}

export function createParking(deps: ParkingDeps): Parking {
  const { clock } = deps;
  const open = new Map<string, Entry>();
  const handover = createAnswerHandover(deps);
  const put = (question: FormQuestion, ticket: ParkTicket): void => {
    if (open.has(question.request)) return;
    const entry: Entry = { question, ticket, waiter: undefined, stopTimer: () => undefined };
    open.set(question.request, entry);
    const left = Math.max(0, (question.expires_at ?? clock.now() + LIMITS.parkedMs) - clock.now());
    entry.stopTimer = clock.after(left, () => handover.track(answer(question, cancelled("timeout"), "timeout")));
  };
  const load = async (): Promise<void> => {
    for (const row of await (await deps.store()).read((q) => rows.all(q))) {
      const ticket: ParkTicket = { kind: row.ticket_kind, data: JSON.parse(row.ticket) };
      const question: FormQuestion = JSON.parse(row.question); // written by `park`
      if (row.state === "open") put(question, ticket);
      else if (row.answer !== null)
        handover.add({ question, ticket, answer: JSON.parse(row.answer), again: row.handed === 1 });
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
      if (!counts) waiter?.take(cancelled("interrupted"));
      else if (waiter !== undefined) waiter.take(given);
      else handover.add({ question, ticket: entry.ticket, answer: given, again: false });
      return counts;
    } catch (error) {
      open.set(request, entry);
      waiter?.answerFailed();
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
    wait: (request, how) => {
      const entry = open.get(request);
      if (entry === undefined) return Promise.resolve(cancelled("parked"));
      return waitForAnswer(entry, { ...how, clock, isOpen: () => open.has(request) });
    },
    resume: (kind, handler) => {
      handover.track(loaded());
      return handover.handle(kind, handler);
    },
    stop: async () => {
      for (const { stopTimer } of open.values()) stopTimer();
      await settlesWithin(clock, STOP_MS, handover.idle());
    },
  };
}

const cancelled = (why: FormUnanswered): FormAnswer => ({ action: "cancel", content: {}, why });

interface AnswerWait {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** 0: no limit. */
  readonly timeoutMs: Ms;
  /** False while an answer is being stored. */
  readonly isOpen: () => boolean;
}

/** Take the answer of a question for as long as this waits: until it comes, the signal aborts or the time is over. */
function waitForAnswer(entry: Entry, { clock, signal, timeoutMs, isOpen }: AnswerWait): Promise<FormAnswer> {
  return new Promise((resolve) => {
    let missed: FormUnanswered | undefined;
    const leave = (answered: FormAnswer): void => {
      stopTimer();
      signal.removeEventListener("abort", onAbort);
      if (entry.waiter === waiter) entry.waiter = undefined;
      resolve(answered);
    };
    // An answer that is being stored is waited for: it is for the present waiter.
    const leaveUnanswered = (why: FormUnanswered) => (): void => {
      if (isOpen()) leave(cancelled(why));
      else missed ??= why;
    };
    const waiter: Waiter = {
      take: leave,
      answerFailed: () => {
        if (missed !== undefined) leave(cancelled(missed));
      },
    };
    const onAbort = leaveUnanswered("interrupted");
    const stopTimer = timeoutMs > 0 ? clock.after(timeoutMs, leaveUnanswered("parked")) : () => undefined;
    entry.waiter = waiter;
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
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
