import { useEffect, useMemo } from "preact/hooks";
import type { OpenQuestion } from "../../../proto/questions.js";
import type { SessionPage } from "../../../proto/session-page.js";
import { useServices } from "../services.js";
import { createStore, type Store } from "../state/store.js";
import { heard, isUpheaval, NO_TRANSCRIPT, type Transcript, withOlder, withPage, withView } from "./state.js";

/** A conversation that is looked at. */
export interface Conversation {
  readonly session: string;
  readonly transcript: Store<Transcript>;
  /** Questions that wait for an answer, oldest first. */
  readonly questions: Store<readonly OpenQuestion[]>;
  /** It was read, or why it could not be. */
  readonly state: Store<{ readonly phase: "loading" | "ready" } | { readonly phase: "failed"; readonly problem: string }>;
  readOlder(): Promise<void>;
}

const PAGE = 100;

/** A page is a front end that can answer questions; one that only looks is none. */
export type Part = "answers" | "looks";

/** Read a conversation and follow it as long as the component is shown. */
export function useTranscript(session: string, part: Part): Conversation {
  const { rpc } = useServices();
  const conversation = useMemo(() => conversationOf(rpc, session), [rpc, session]);
  useEffect(() => conversation.open(part), [conversation, part]);
  return conversation;
}

type Rpc = ReturnType<typeof useServices>["rpc"];

function conversationOf(rpc: Rpc, session: string): Conversation & { open(part: Part): () => void } {
  const transcript = createStore<Transcript>(NO_TRANSCRIPT);
  const questions = createStore<readonly OpenQuestion[]>([]);
  const state = createStore<ReturnType<Conversation["state"]["get"]>>({ phase: "loading" });
  const pageOf = (more: Readonly<Record<string, unknown>> = {}) =>
    rpc.call<SessionPage>("session.page", { session_id: session, limit: PAGE, ...more });

  const read = async (): Promise<void> => {
    const page = await pageOf();
    transcript.update((now) => withPage(now, page));
    state.set({ phase: "ready" });
  };
  const ask = async (): Promise<void> => questions.set(await rpc.call("question.list", { session_id: session }));
  const failed = (error: unknown): void => state.set({ phase: "failed", problem: error instanceof Error ? error.message : String(error) });
  const begin = async (part: Part): Promise<void> => {
    await read();
    if (part === "looks") return;
    const view = await rpc.call<Readonly<Record<string, unknown>> & { questions: readonly OpenQuestion[] }>("session.attach", {
      session_id: session,
    });
    questions.set(view.questions);
    transcript.update((now) => withView(now, view));
  };
  return {
    ...{ session, transcript, questions, state },
    readOlder: async () => {
      const { older } = transcript.get();
      if (older === null) return;
      const page = await pageOf({ before: { session_id: older.session_id, ordinal: older.ordinal } });
      transcript.update((now) => withOlder(now, page));
    },
    open: (part) => {
      const leave = rpc.follow({
        topics: [`session:${session}`],
        begin: () => begin(part).catch(failed),
        heard: ({ event, data }) => {
          transcript.update((now) => heard(now, event, data));
          if (isUpheaval(event)) read().catch(failed);
          if (part === "answers" && /^(?:approval|clarify|password|secret)\./.test(event)) ask().catch(failed);
        },
      });
      return () => {
        leave();
        if (part === "answers") rpc.call("session.detach", { session_id: session }).catch(() => undefined);
      };
    },
  };
}
