import type { Store } from "../../../storage/store.js";
import { AppError } from "../../base/errors.js";
import type { Ids } from "../../base/ids.js";
import { LIMITS } from "../../base/limits.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms, SessionId, TurnId } from "../../base/units.js";
import type { SessionRecord } from "../../contracts/chat/chat.js";
import {
  checkForm,
  type FormAnswer,
  type FormAsked,
  type FormGiven,
  type ParkTicket,
  type QuestionParking,
} from "../../contracts/chat/form.js";
import type {
  ApprovalAnswer,
  ApprovalAsked,
  CloseReason,
  FormQuestion,
  OpenQuestion,
  QuestionOrigin,
  QuestionOutcome,
  QuestionsApi,
} from "../../contracts/chat/questions.js";
import type { PermissionTest } from "../../contracts/config/permissions.js";
import { noSession } from "../transcript/session-record.js";
import { createLedger, type Ledger } from "./ledger.js";
import { createParking, type Parking } from "./parking.js";

/** What is asked, without what the desk adds. */
export type NewQuestion = OpenQuestion extends infer Q
  ? Q extends OpenQuestion
    ? Pick<Q, "kind" | "data">
    : never
  : never;

/** For whom it is asked, and in which lineage it is shown. */
export interface QuestionPlace {
  readonly session: Pick<SessionRecord, "id" | "lineage_root">;
  readonly turn: TurnId | null;
  readonly origin: QuestionOrigin;
}

export interface QuestionOptions {
  /** Aborts on interrupt: the question is closed at once. */
  readonly signal: AbortSignal;
  /** 0: it waits for ever. */
  readonly timeoutMs: Ms;
  /** Wait although no front end looks at this moment: one did, and may come back. */
  readonly waits: boolean;
  /** Carries out what the answer of an approval asks for, before it counts. Its errors go to the one who answered. */
  readonly take?: (answer: ApprovalAnswer) => Promise<void>;
  /** How the rules come to ask about a command. */
  readonly explain?: () => Promise<PermissionTest>;
}

export interface ParkOptions extends Pick<QuestionOptions, "signal" | "timeoutMs" | "waits"> {
  readonly ticket: ParkTicket;
}

/** The open questions of an owner. */
export interface QuestionDesk extends QuestionsApi, QuestionParking {
  /** Never rejects but for a store that cannot be written. */
  ask(place: QuestionPlace, question: NewQuestion, how: QuestionOptions): Promise<QuestionOutcome>;
  /**
   * A form that stays open when its call or its owner ends; its answer then goes to the handler of its ticket. Resolves with the answer when it
   * comes within the time, else `parked` or `interrupted`. Without anyone to ask: declined, and not kept.
   */
  park(place: QuestionPlace, form: FormAsked, parked: ParkOptions): Promise<FormAnswer>;
  /** A question of this lineage could be answered now. */
  reached(lineage: SessionId): boolean;
  /** What was begun is stored. */
  stop(): Promise<void>;
}

export interface DeskDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** The store of conversations that are kept: questions of earlier owners are there. */
  kept(): Promise<Store>;
  /** The store that holds a session. */
  store(session: SessionId): Promise<Store>;
  lineageOf(session: SessionId): Promise<SessionId | undefined>;
}

interface Entry {
  question: OpenQuestion;
  readonly how: QuestionOptions;
  readonly settle: (answered: QuestionOutcome) => void;
  /** An answer is being carried out. */
  taken: boolean;
  stopTimer: () => void;
}

export function createDesk(deps: DeskDeps): QuestionDesk {
  const open = new Map<string, Entry>();
  const ledger = createLedger(deps);
  const parking = createParking({
    ...deps,
    store: (session) => (session === undefined ? deps.kept() : deps.store(session)),
  });
  const attached = createAttached();
  const end = (entry: Entry, answered: QuestionOutcome) => {
    const { request } = entry.question;
    if (!open.delete(request)) return;
    entry.stopTimer();
    ledger.closed(entry.question, answered, openOf(open, entry.question.lineage_root));
    entry.settle(answered);
  };
  const close = (entry: Entry, why: CloseReason) => end(entry, { answered: false, why, by: why });
  const startTimer = (entry: Entry) => {
    entry.stopTimer();
    const { timeoutMs } = entry.how;
    if (timeoutMs > 0) entry.stopTimer = deps.clock.after(timeoutMs, () => !entry.taken && close(entry, "timeout"));
  };
  return {
    reached: (lineage) => attached.at(lineage),
    ask: async (place, asked, how) => {
      const { session } = place;
      if (!how.waits && !attached.at(session.lineage_root)) return { answered: false, why: "nobody", by: "nobody" };
      if (how.signal.aborted) return { answered: false, why: "interrupted", by: "interrupted" };
      const question = toQuestion(deps, place, asked, how);
      return new Promise((resolve, reject) => {
        const onAbort = () => close(entry, "interrupted");
        const settle = (answered: QuestionOutcome) => {
          how.signal.removeEventListener("abort", onAbort);
          resolve(answered);
        };
        const entry: Entry = { question, how, settle, taken: false, stopTimer: () => undefined };
        open.set(question.request, entry);
        how.signal.addEventListener("abort", onAbort, { once: true });
        startTimer(entry);
        ledger.opened(question, openOf(open, session.lineage_root)).catch((error: unknown) => {
          open.delete(question.request);
          entry.stopTimer();
          reject(error);
        });
      });
    },
    park: async (place, form, { ticket, waits, ...how }) => {
      const { session } = place;
      if (!waits && !attached.at(session.lineage_root)) return { action: "decline", content: {}, why: "nobody" };
      if (how.signal.aborted) return { action: "cancel", content: {}, why: "interrupted" };
      const question = toParked(deps, place, form);
      await parking.park(question, ticket);
      return parking.wait(question.request, how);
    },
    resume: parking.resume,
    stop: async () => {
      await ledger.idle();
      await parking.stop();
    },
    ...withParked(parking, ledger, answers({ clock: deps.clock, open, ledger, end, startTimer })),
    questions: async (session) => {
      const lineage = session === undefined ? undefined : await deps.lineageOf(session);
      const mine = [...open.values()].map((entry) => entry.question);
      const all = [...(await parking.open()), ...mine].toSorted((a, b) => a.asked_at - b.asked_at);
      return session === undefined ? all : all.filter((one) => one.lineage_root === lineage);
    },
    attach: async (session, until) => {
      const lineage = await deps.lineageOf(session);
      if (lineage === undefined) throw noSession(session);
      attached.add(lineage, until);
    },
  };
}

function toQuestion(
  { clock, ids }: DeskDeps,
  place: QuestionPlace,
  asked: NewQuestion,
  how: Pick<QuestionOptions, "timeoutMs">,
): OpenQuestion {
  const at = clock.now();
  return {
    ...asked,
    request: `q_${ids.hex(8)}`,
    session_id: place.session.id,
    lineage_root: place.session.lineage_root,
    turn_id: place.turn,
    asked_at: at,
    expires_at: how.timeoutMs > 0 ? at + how.timeoutMs : null,
    origin: place.origin,
  } as OpenQuestion; // kind and data belong together in `asked`
}

type Answers = Pick<
  QuestionsApi,
  "answerApproval" | "answerClarify" | "answerForm" | "answerHidden" | "explain" | "touch"
>;

/** A parked form is answered through the same method, and its time does not depend on who looks. */
function withParked(parking: Parking, ledger: Ledger, given: Answers): Answers {
  const find = async (request: string) =>
    parking.find(request) ?? (await parking.open()).find((one) => one.request === request);
  return {
    ...given,
    answerForm: async (request, answered, by) => {
      const question = await find(request);
      if (question === undefined) return given.answerForm(request, answered, by);
      const { action } = answered;
      const content = action === "accept" ? checkedContent(request, question.data, answered) : {};
      const counts = await parking.answer(question, { action, content }, by);
      ledger.remember(request);
      if (!counts) throw resolved(request);
    },
    touch: async (request) => {
      const question = await find(request);
      return question === undefined ? given.touch(request) : question.expires_at;
    },
  };
}

/** It waits for days, but not longer than its asker. */
function toParked(deps: DeskDeps, place: QuestionPlace, form: FormAsked): FormQuestion {
  const until = Math.min(form.waits_until ?? Number.POSITIVE_INFINITY, deps.clock.now() + LIMITS.parkedMs);
  const asked: FormAsked = { ...form, park: true };
  const how = { timeoutMs: Math.max(1, until - deps.clock.now()) };
  return toQuestion(deps, place, { kind: "form", data: asked }, how) as FormQuestion; // of the kind that was asked
}

const openOf = (open: ReadonlyMap<string, Entry>, lineage: SessionId): readonly OpenQuestion[] =>
  [...open.values()].map((entry) => entry.question).filter((one) => one.lineage_root === lineage);

interface Hands {
  readonly clock: Clock;
  readonly open: ReadonlyMap<string, Entry>;
  readonly ledger: Ledger;
  readonly end: (entry: Entry, answered: QuestionOutcome) => void;
  readonly startTimer: (entry: Entry) => void;
}

function answers({ clock, open, ledger, end, startTimer }: Hands): Answers {
  const find = (request: string, kinds: readonly string[]): Entry => {
    const entry = open.get(request);
    if (entry !== undefined && !entry.taken && kinds.includes(entry.question.kind)) return entry;
    if (entry?.taken === true || ledger.ended(request)) throw resolved(request);
    throw new AppError("E_NOT_FOUND", `no open question ${request}`, {
      request,
      hint: "question.list lists open questions",
    });
  };
  /** The answer counts once it is durable that the question is closed. */
  const finish = async (entry: Entry, answered: QuestionOutcome) => {
    if (!open.has(entry.question.request)) throw resolved(entry.question.request);
    end(entry, answered);
    await ledger.idle();
  };
  return {
    answerApproval: async (request, given, by) => {
      const entry = find(request, ["approval"]);
      const { data } = entry.question;
      if (!("options" in data) || !data.options.includes(given.answer))
        throw new AppError("E_INVALID", `${request} does not offer the answer ${given.answer}`, { request });
      if (!hasWidth(data, given))
        throw new AppError(
          "E_INVALID",
          `${request} does not offer the width ${given.width} for the answer ${given.answer}`,
          { request },
        );
      entry.taken = true;
      try {
        await entry.how.take?.(given);
      } catch (error) {
        entry.taken = false;
        startTimer(entry);
        throw error;
      }
      const text = given.text === undefined || given.text === "" ? {} : { text: given.text };
      await finish(entry, { answered: true, answer: given.answer, by, ...text });
    },
    answerClarify: (request, answer, by) => {
      const given: QuestionOutcome =
        answer === undefined ? { answered: false, why: "cancelled", by } : { answered: true, answer, by };
      return promised(() => finish(find(request, ["clarify"]), given));
    },
    answerForm: async (request, given, by) => {
      const entry = find(request, ["form"]);
      const { kind, data } = entry.question;
      if (kind === "form") await finish(entry, formOutcome(request, data, given, by));
    },
    answerHidden: (kind, request, value, by) => {
      const given: QuestionOutcome =
        value === undefined ? { answered: false, why: "cancelled", by } : { answered: true, answer: value, by };
      return promised(() => finish(find(request, [kind]), given));
    },
    explain: async (request) => {
      const { explain } = find(request, KINDS).how;
      if (explain === undefined) throw new AppError("E_INVALID", `${request} is not about a command`, { request });
      return explain();
    },
    touch: async (request) => {
      const entry = find(request, KINDS);
      const { timeoutMs } = entry.how;
      const waits = entry.question.kind === "clarify" || timeoutMs === 0;
      if (waits) entry.stopTimer();
      else startTimer(entry);
      const expires_at = waits ? null : clock.now() + timeoutMs;
      entry.question = { ...entry.question, expires_at };
      return expires_at;
    },
  };
}

const KINDS: readonly OpenQuestion["kind"][] = ["approval", "clarify", "form", "password", "secret"];

/** The owner alone decides whether content is right, whatever a front end has checked. */
function formOutcome(request: string, asked: FormAsked, given: FormGiven, by: string): QuestionOutcome {
  const { action } = given;
  if (action !== "accept") return { answered: true, answer: action, by };
  return { answered: true, answer: action, content: checkedContent(request, asked, given), by };
}

function checkedContent(request: string, { fields }: FormAsked, given: FormGiven): FormAnswer["content"] {
  const checked = checkForm(fields, given.content ?? {});
  if (checked.ok) return checked.values;
  const [first = "", fault = ""] = Object.entries(checked.faults)[0] ?? [];
  throw new AppError("E_INVALID", `${first}: ${fault}`, { request, faults: checked.faults });
}

/** Every answer has its narrowest rule; a wider one only where it was offered. */
const hasWidth = ({ wider }: ApprovalAsked, { answer, width = "exact" }: ApprovalAnswer): boolean =>
  width === "exact" || Object.keys(wider?.[width] ?? {}).includes(answer);

const promised = async (work: () => Promise<void>): Promise<void> => work();

const resolved = (request: string) =>
  new AppError("E_ALREADY_RESOLVED", `question ${request} has already been answered or closed`, { request });

/** Front ends that can answer, by the lineage that they show. */
interface AttachedFrontEnds {
  add(lineage: SessionId, until: AbortSignal): void;
  at(lineage: SessionId): boolean;
}

function createAttached(): AttachedFrontEnds {
  const fronts = new Map<SessionId, Set<AbortSignal>>();
  return {
    add: (lineage, until) => {
      const mine = fronts.get(lineage) ?? new Set();
      if (until.aborted || mine.has(until)) return;
      mine.add(until);
      fronts.set(lineage, mine);
      const leave = () => {
        mine.delete(until);
        if (mine.size === 0 && fronts.get(lineage) === mine) fronts.delete(lineage);
      };
      until.addEventListener("abort", leave, { once: true });
    },
    at: (lineage) => fronts.has(lineage),
  };
}
