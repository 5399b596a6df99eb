import type { Store } from "../../../storage/store.js";
import { AppError } from "../../base/errors.js";
import type { Ids } from "../../base/ids.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms, SessionId, TurnId } from "../../base/units.js";
import type { SessionRecord } from "../../contracts/chat/chat.js";
import type {
  ApprovalAnswer,
  ApprovalAsked,
  CloseReason,
  OpenQuestion,
  QuestionOrigin,
  QuestionOutcome,
  QuestionsApi,
} from "../../contracts/chat/questions.js";
import type { PermissionTest } from "../../contracts/config/permissions.js";
import { noSession } from "../transcript/session-record.js";
import { createAttached } from "./attached.js";
import { createLedger, type Ledger } from "./ledger.js";

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

export interface HowToAsk {
  /** Aborts on interrupt: the question is closed at once. */
  readonly signal: AbortSignal;
  /** 0: it waits for ever. */
  readonly timeoutMs: Ms;
  /** Wait although nobody looks at this moment: somebody did, and may come back. */
  readonly waits: boolean;
  /** Carries out what the answer of an approval asks for, before it counts. What it throws goes to whoever answered. */
  readonly take?: (answer: ApprovalAnswer) => Promise<void>;
  /** How the rules come to ask about a command. */
  readonly explain?: () => Promise<PermissionTest>;
}

/** The open questions of an owner. */
export interface QuestionDesk extends QuestionsApi {
  /** Never rejects but for a store that cannot be written. */
  ask(place: QuestionPlace, question: NewQuestion, how: HowToAsk): Promise<QuestionOutcome>;
  /** Somebody could answer a question of this lineage now. */
  reached(lineage: SessionId): boolean;
  /** What was begun is stored. */
  stop(): Promise<void>;
}

export interface DeskDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  /** The store that holds a session. */
  store(session: SessionId): Promise<Store>;
  lineageOf(session: SessionId): Promise<SessionId | undefined>;
}

interface Entry {
  question: OpenQuestion;
  readonly how: HowToAsk;
  readonly settle: (answered: QuestionOutcome) => void;
  /** An answer is being carried out. */
  taken: boolean;
  stopTimer: () => void;
}

export function createDesk(deps: DeskDeps): QuestionDesk {
  const open = new Map<string, Entry>();
  const ledger = createLedger(deps);
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
    stop: () => ledger.idle(),
    ...answers({ clock: deps.clock, open, ledger, end, startTimer }),
    questions: async (session) => {
      const lineage = session === undefined ? undefined : await deps.lineageOf(session);
      const all = [...open.values()].map((entry) => entry.question);
      return session === undefined ? all : all.filter((one) => one.lineage_root === lineage);
    },
    attach: async (session, until) => {
      const lineage = await deps.lineageOf(session);
      if (lineage === undefined) throw noSession(session);
      attached.add(lineage, until);
    },
  };
}

function toQuestion({ clock, ids }: DeskDeps, place: QuestionPlace, asked: NewQuestion, how: HowToAsk): OpenQuestion {
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

const openOf = (open: ReadonlyMap<string, Entry>, lineage: SessionId): readonly OpenQuestion[] =>
  [...open.values()].map((entry) => entry.question).filter((one) => one.lineage_root === lineage);

interface Hands {
  readonly clock: Clock;
  readonly open: ReadonlyMap<string, Entry>;
  readonly ledger: Ledger;
  readonly end: (entry: Entry, answered: QuestionOutcome) => void;
  readonly startTimer: (entry: Entry) => void;
}

function answers({
  clock,
  open,
  ledger,
  end,
  startTimer,
}: Hands): Pick<QuestionsApi, "answerApproval" | "answerClarify" | "answerHidden" | "explain" | "touch"> {
  const find = (request: string, kinds: readonly string[]): Entry => {
    const entry = open.get(request);
    if (entry !== undefined && !entry.taken && kinds.includes(entry.question.kind)) return entry;
    if (entry?.taken === true || ledger.ended(request)) throw resolved(request);
    throw new AppError("E_NOT_FOUND", `there is no open question ${request}`, {
      request,
      hint: "question.list names the open ones",
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
    answerHidden: (kind, request, value, by) => {
      const given: QuestionOutcome =
        value === undefined ? { answered: false, why: "cancelled", by } : { answered: true, answer: value, by };
      return promised(() => finish(find(request, [kind]), given));
    },
    explain: async (request) => {
      const { explain } = find(request, ["approval", "clarify", "password", "secret"]).how;
      if (explain === undefined) throw new AppError("E_INVALID", `${request} is not about a command`, { request });
      return explain();
    },
    touch: async (request) => {
      const entry = find(request, ["approval", "clarify", "password", "secret"]);
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

/** Every answer has its narrowest rule; a wider one only where it was offered. */
const hasWidth = ({ wider }: ApprovalAsked, { answer, width = "exact" }: ApprovalAnswer): boolean =>
  width === "exact" || Object.keys(wider?.[width] ?? {}).includes(answer);

const promised = async (work: () => Promise<void>): Promise<void> => work();

const resolved = (request: string) =>
  new AppError("E_ALREADY_RESOLVED", `the question ${request} has been answered or closed already`, { request });
