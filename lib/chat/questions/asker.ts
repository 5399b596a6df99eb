import type { Clock } from "../../base/time/clock.js";
import type { Ms, SessionId, TurnId } from "../../base/units.js";
import type { SessionRecord } from "../../contracts/chat/chat.js";
import type { FormAnswer, FormAsked } from "../../contracts/chat/form.js";
import type { QuestionOutcome } from "../../contracts/chat/questions.js";
import type { NewQuestion, ParkOptions, QuestionDesk, QuestionOptions } from "./desk.js";

interface HowOf {
  readonly turn: TurnId | undefined;
  /** Child that it is asked for; the question is shown where its parent is. */
  readonly child?: SessionId | undefined;
}

/** One conversation's way to its user. */
export interface Asker {
  ask(question: NewQuestion, how: Omit<QuestionOptions, "waits"> & HowOf): Promise<QuestionOutcome>;
  /** A form that outlives its call; see `QuestionDesk.park`. */
  park(form: FormAsked, how: Omit<ParkOptions, "waits"> & Pick<HowOf, "turn">): Promise<FormAnswer>;
  /** A question would be seen now. */
  reached(): boolean;
  /** Milliseconds that this conversation has waited for people since it was opened; a wait that goes on counts up to now. */
  waited(): Ms;
}

export interface AskerDeps {
  readonly desk: QuestionDesk;
  readonly clock: Clock;
  /** As it is now: compaction gives a conversation another segment. */
  session(): Pick<SessionRecord, "id" | "lineage_root" | "profile">;
  /** It was opened by a front end: a question waits for one to come back. */
  readonly waits: boolean;
  live(event: string, data: Readonly<Record<string, unknown>>): void;
}

export function createAsker({ desk, clock, session, waits, live }: AskerDeps): Asker {
  let open = 0;
  let since = 0;
  let before = 0;
  const begin = () => {
    if (open === 0) since = clock.mono();
    open += 1;
  };
  const end = () => {
    open -= 1;
    if (open === 0) before += clock.mono() - since;
  };
  const originNow = (child: SessionId | undefined) => {
    const { id, profile } = session();
    return { session_id: child ?? id, profile, ...(child === undefined ? {} : { child }) };
  };
  return {
    reached: () => waits || desk.reached(session().lineage_root),
    park: async (form, { turn, ...how }) => {
      const place = { session: session(), turn: turn ?? null, origin: originNow(undefined) };
      begin();
      live("turn.phase", { phase: "question", detail: "" });
      try {
        return await desk.park(place, form, { ...how, waits });
      } finally {
        end();
        if (!how.signal.aborted) live("turn.phase", { phase: "tool", detail: "" });
      }
    },
    waited: () => before + (open > 0 ? clock.mono() - since : 0),
    ask: async (question, { turn, child, ...how }) => {
      const place = session();
      if (!waits && !desk.reached(place.lineage_root)) return { answered: false, why: "nobody", by: "nobody" };
      begin();
      const phase = question.kind === "approval" ? "approval" : "question";
      live("turn.phase", { phase, detail: "tool" in question.data ? question.data.tool : "" });
      try {
        return await desk.ask({ session: place, turn: turn ?? null, origin: originNow(child) }, question, {
          ...how,
          waits,
        });
      } finally {
        end();
        if (!how.signal.aborted)
          live("turn.phase", { phase: "tool", detail: "tool" in question.data ? question.data.tool : "" });
      }
    },
  };
}
