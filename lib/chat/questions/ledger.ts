import type { Store } from "../../../storage/store.js";
import * as lineage from "../../../storage/tables/sessions/lineage.js";
import type { Clock } from "../../base/time/clock.js";
import type { SessionId } from "../../base/units.js";
import type { OpenQuestion, QuestionOutcome } from "../../contracts/chat/questions.js";

/** Record of a lineage that holds its open questions: what an owner that died has left open is closed by the next one. */
const RECORD = "questions";
/** Ended questions that are remembered, so that a late answer differs from one to a question that never was. */
const ENDED_AT_MOST = 4_096;

/** What is stored of questions: the open ones, and the events of their beginning and end, in order. */
export interface Ledger {
  /** @throws when it cannot be stored */
  opened(question: OpenQuestion, open: readonly OpenQuestion[]): Promise<void>;
  closed(question: OpenQuestion, answered: QuestionOutcome, open: readonly OpenQuestion[]): void;
  /** It is answered elsewhere from now on. */
  remember(request: string): void;
  /** It was open once. */
  ended(request: string): boolean;
  /** Resolves when everything begun so far is durable; rejects when the last of it could not be stored. */
  idle(): Promise<void>;
}

export interface LedgerDeps {
  readonly clock: Clock;
  store(session: SessionId): Promise<Store>;
}

export function createLedger({ clock, store }: LedgerDeps): Ledger {
  const ended = new Set<string>();
  let tail: Promise<void> = Promise.resolve();
  const post = (question: OpenQuestion, open: readonly OpenQuestion[], event: Told): Promise<void> => {
    const at = clock.now();
    const write = async () =>
      (await store(question.session_id)).write("chat.question", (tx) => note(tx, { question, open, event, at }));
    const mine = tail.then(write, write);
    tail = mine;
    mine.catch(() => undefined); // its waiter has a promise of its own
    return mine;
  };
  const remember = (request: string): void => {
    ended.add(request);
    for (const [first] of ended.entries()) if (ended.size > ENDED_AT_MOST) ended.delete(first);
  };
  return {
    opened: (question, open) => post(question, open, { kind: `${question.kind}.requested`, data: requested(question) }),
    remember,
    closed: (question, answered, open) => {
      remember(question.request);
      post(question, open, { kind: `${question.kind}.resolved`, data: resolved(question, answered) }).catch(
        () => undefined,
      ); // `idle` tells it
    },
    ended: (request) => ended.has(request),
    idle: () => tail,
  };
}

interface Told {
  readonly kind: string;
  readonly data: Readonly<Record<string, unknown>>;
}

interface Noted {
  readonly question: OpenQuestion;
  readonly open: readonly OpenQuestion[];
  readonly event: Told;
  readonly at: number;
}

async function note(
  tx: Parameters<Parameters<Store["write"]>[1]>[0],
  { question, open, event, at }: Noted,
): Promise<void> {
  const { session_id: session, lineage_root: root, turn_id } = question;
  await lineage.set(tx, { root, name: RECORD, json: JSON.stringify(open) }, at);
  tx.emit({ kind: event.kind, at, session, payload: event.data, ...(turn_id === null ? {} : { turn: turn_id }) });
}

function requested({ request, data, expires_at, origin }: OpenQuestion): Told["data"] {
  return { request, ...data, expires_at, origin };
}

/** A value that was typed into a hidden field is left out. */
function resolved({ request, kind }: OpenQuestion, answered: QuestionOutcome): Told["data"] {
  const why = answered.answered ? {} : { why: answered.why };
  if (kind === "password" || kind === "secret") return { request, by: answered.by, ...why };
  const none = kind === "approval" ? "deny" : null; // what was filled into a form is for its asker only
  const text = answered.answered && answered.text !== undefined ? { text: answered.text } : {};
  return { request, answer: answered.answered ? answered.answer : none, by: answered.by, ...text, ...why };
}

/** Close the questions of an earlier owner: their askers are gone. Harmless twice. @returns their number */
export async function closeLeftQuestions(store: Store, clock: Clock): Promise<number> {
  let count = 0;
  for (const { root, value } of await store.read((q) => lineage.having(q, RECORD))) {
    const left = JSON.parse(value) as readonly OpenQuestion[]; // written by `note` of this store
    if (left.length === 0) continue;
    count += left.length;
    const at = clock.now();
    await store.write("chat.questions-left", async (tx) => {
      await lineage.set(tx, { root, name: RECORD, json: "[]" }, at);
      for (const question of left) {
        const payload = resolved(question, { answered: false, why: "owner stopped", by: "owner stopped" });
        const turn = question.turn_id === null ? {} : { turn: question.turn_id };
        tx.emit({ kind: `${question.kind}.resolved`, at, session: question.session_id, payload, ...turn });
      }
    });
  }
  return count;
}
