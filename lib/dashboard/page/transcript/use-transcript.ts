import { useEffect, useMemo } from "preact/hooks";
import type { OpenQuestion } from "../../../contracts/chat/questions.js";
import type { SessionPage } from "../../../contracts/wire/shapes/session-page.js";
import type { WireEvent } from "../../../contracts/wire/wire.js";
import { type Services, useServices } from "../services.js";
import { createStore, type Store } from "../state/store.js";
import {
  heard,
  isUpheaval,
  NO_TRANSCRIPT,
  type PageTranscript,
  segmentBehind,
  withOlder,
  withPage,
  withView,
} from "./state.js";

/** A conversation that is looked at. */
export interface PageConversation {
  /** Segment in which it goes on; another one after a compaction. */
  readonly session: Store<string>;
  readonly transcript: Store<PageTranscript>;
  /** Questions that wait for an answer, oldest first. */
  readonly questions: Store<readonly OpenQuestion[]>;
  /** It was read, or why it could not be. */
  readonly state: Store<
    { readonly phase: "loading" | "ready" } | { readonly phase: "failed"; readonly problem: string }
  >;
  /** Grows when something beside the messages has changed: title, counters, costs. */
  readonly facts: Store<number>;
  readOlder(): Promise<void>;
}

const PAGE = 100;
const QUESTION = /^(?:approval|clarify|form|password|secret)\./;

/** `answers`: a front end that can answer questions; `looks`: one that only looks. */
export type ViewerRole = "answers" | "looks";

/** Read a conversation and follow it as long as the component is shown. */
export function useTranscript(session: string, part: ViewerRole): PageConversation {
  const { api, rpc } = useServices();
  const conversation = useMemo(() => conversationOf({ api, rpc }, session), [api, rpc, session]);
  useEffect(() => conversation.open(part), [conversation, part]);
  return conversation;
}

type Parts = Pick<Services, "api" | "rpc">;
type Attached = Readonly<Record<string, unknown>> & { readonly questions: readonly OpenQuestion[] };

function conversationOf({ api, rpc }: Parts, named: string): PageConversation & { open(part: ViewerRole): () => void } {
  const session = createStore(named);
  const transcript = createStore<PageTranscript>(NO_TRANSCRIPT);
  const questions = createStore<readonly OpenQuestion[]>([]);
  const state = createStore<ReturnType<PageConversation["state"]["get"]>>({ phase: "loading" });
  const facts = createStore(0);
  const here = () => ({ session_id: session.get() });
  const pageOf = (more: Readonly<Record<string, unknown>> = {}) =>
    rpc.call<SessionPage>("session.page", { ...here(), limit: PAGE, ...more });
  const failed = (error: unknown): void =>
    state.set({ phase: "failed", problem: error instanceof Error ? error.message : String(error) });

  const read = async (): Promise<void> => {
    const page = await pageOf();
    transcript.update((now) => withPage(now, page));
    state.set({ phase: "ready" });
  };
  const begin = async (part: ViewerRole): Promise<void> => {
    await read();
    if (part === "looks") return;
    const view = await rpc.call<Attached>("session.attach", here());
    questions.set(view.questions);
    transcript.update((now) => withView(now, view));
  };
  const ask = async (): Promise<void> => questions.set(await rpc.call("question.list", here()));
  const open = (part: ViewerRole): (() => void) => {
    let leave: (() => void) | undefined;
    let over = false;
    const go = (segment: string): void => {
      leave?.();
      session.set(segment);
      const take = (told: WireEvent): void => {
        const { event, data } = told;
        transcript.update((now) => heard(now, told));
        if (event === "session.info" || event === "turn.ended") facts.update((count) => count + 1);
        const behind = segmentBehind(event, data);
        if (behind !== undefined) go(behind);
        else if (isUpheaval(event)) read().catch(failed);
        if (part === "answers" && QUESTION.test(event)) ask().catch(failed);
      };
      leave = rpc.follow({
        topics: [`session:${segment}`],
        begin: () => begin(part).catch(failed),
        heard: take,
      });
    };
    // An address may name a segment from before a compaction.
    const path = `api/sessions/${encodeURIComponent(named)}/latest-descendant`;
    api.get<{ session_id: string }>(path).then((newest) => !over && go(newest.session_id), failed);
    return () => {
      over = true;
      leave?.();
      if (part === "answers") rpc.call("session.detach", here()).catch(() => undefined);
    };
  };
  return {
    session,
    transcript,
    questions,
    state,
    facts,
    open,
    readOlder: async () => {
      const { older } = transcript.get();
      if (older === null) return;
      const page = await pageOf({ before: { session_id: older.session_id, ordinal: older.ordinal } });
      transcript.update((now) => withOlder(now, page));
    },
  };
}
