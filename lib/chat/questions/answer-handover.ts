import type { Store } from "../../../storage/store.js";
import * as rows from "../../../storage/tables/sessions/parked.js";
import { toAppError } from "../../base/errors.js";
import type { Log } from "../../base/log/log.js";
import type { SessionId } from "../../base/units.js";
import type { FormAnswer, ParkTicket, ResumedForm } from "../../contracts/chat/form.js";
import type { FormQuestion } from "../../contracts/chat/questions.js";

export type AnswerHandler = (answered: ResumedForm) => Promise<void>;

/** An answer that its handler has not got yet. */
export interface AnsweredQuestion {
  readonly question: FormQuestion;
  readonly ticket: ParkTicket;
  readonly answer: FormAnswer;
  /** An earlier owner began to hand it over. */
  readonly again: boolean;
}

/** Answers on their way to the handlers of their kind of ticket. */
export interface AnswerHandover {
  /** Hand an answer over, as soon as there is a handler of its kind. */
  add(answered: AnsweredQuestion): void;
  /** Hand answers of this kind to `handler`. @returns takes the handler away again */
  handle(kind: string, handler: AnswerHandler): () => void;
  /** Wait for this when the owner stops; a failure is logged. */
  track(promise: Promise<unknown>): void;
  /** Resolves when nothing that was begun runs any more. */
  idle(): Promise<void>;
}

export interface AnswerHandoverDeps {
  readonly log: Log;
  /** The store that holds a session. */
  store(session: SessionId): Promise<Store>;
}

/** @see AnswerHandover */
export function createAnswerHandover({ log, store }: AnswerHandoverDeps): AnswerHandover {
  const handlers = new Map<string, AnswerHandler>();
  const waiting = new Map<string, AnsweredQuestion>();
  const running = new Set<Promise<void>>();
  const track = (promise: Promise<unknown>): void => {
    const told: Promise<void> = promise.then(
      () => undefined,
      (error: unknown) =>
        log.warning("failed to hand over the answer of a question", { error: toAppError(error).message }),
    );
    running.add(told);
    told.finally(() => running.delete(told)).catch(() => undefined); // it never rejects
  };
  /** The mark goes before the call, the row after it: a crash in between is reported to the next owner's handler. */
  const handOver = async (answered: AnsweredQuestion, handler: AnswerHandler): Promise<void> => {
    const { question, ticket, answer, again } = answered;
    const { request, session_id: session } = question;
    const kept = await store(session);
    if (!(await kept.write("chat.parked-hand", (tx) => rows.hand(tx, request)))) return;
    try {
      await handler({ request, session, ticket: ticket.data, answer, again });
    } finally {
      await kept.write("chat.parked-done", (tx) => rows.remove(tx, request));
    }
  };
  const handOverAll = (kind: string): void => {
    const handler = handlers.get(kind);
    if (handler === undefined) return;
    for (const [request, one] of waiting) {
      if (one.ticket.kind !== kind) continue;
      waiting.delete(request);
      track(handOver(one, handler));
    }
  };
  return {
    track,
    add: (answered) => {
      waiting.set(answered.question.request, answered);
      handOverAll(answered.ticket.kind);
    },
    handle: (kind, handler) => {
      handlers.set(kind, handler);
      handOverAll(kind);
      return () => {
        if (handlers.get(kind) === handler) handlers.delete(kind);
      };
    },
    idle: async () => {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
