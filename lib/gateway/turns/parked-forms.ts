import type { Store } from "../../../storage/store.js";
import type { GatewayEntry } from "../../../storage/tables/gateway/sessions.js";
import { defineService, type Service } from "../../base/async/service.js";
import { toAppError } from "../../base/errors.js";
import type { Log } from "../../base/log/log.js";
import type { InboundSource, PlatformTag } from "../../contracts/board/platform-tag.js";
import type { ChatApi } from "../../contracts/chat/chat.js";
import type { OpenQuestion } from "../../contracts/chat/questions.js";
import type { Platform } from "../../contracts/gateway/platform.js";
import type { Outbox } from "../outbox/outbox.js";
import { chatOfSession } from "../targets/chat-of-session.js";
import { type ChatQuestions, emitTo } from "./chat-questions.js";
import type { AskingPlace } from "./question-texts.js";

export interface ParkedFormsDeps {
  readonly app: { readonly chat: ChatApi; readonly stores: { sessions(): Promise<Store> } };
  readonly store: Store;
  readonly outbox: () => Pick<Outbox, "insert" | "keyed">;
  readonly platforms: () => readonly Platform[];
  readonly questions: Pick<ChatQuestions, "askAgain" | "ended">;
  readonly log: Log;
}

/** Forms that an earlier owner asked for in chats are asked for again when the gateway starts (extensions part, 2.7), and end there when they are answered elsewhere. */
export function parkedForms(deps: ParkedFormsDeps): Service {
  const { app, questions, log } = deps;
  return defineService("gateway-parked-forms", async (scope) => {
    const beside = (work: () => Promise<void>) =>
      scope.run(async () => {
        try {
          await work();
        } catch (error) {
          if (!scope.signal.aborted) log.error("failed to show a form in a chat", { error: toAppError(error).message });
        }
      });
    const store = await app.stores.sessions();
    scope.onStop(
      store.onEvents((events) => {
        for (const { kind, payload } of events)
          if (kind === "form.resolved") beside(() => questions.ended(String(payload["request"]), payload));
      }),
    );
    beside(async () => {
      for (const question of await app.chat.questions()) await askAgain(deps, question);
    });
  });
}

async function askAgain(deps: ParkedFormsDeps, question: OpenQuestion): Promise<void> {
  if (question.kind !== "form" || question.data.park !== true) return;
  const entry = await chatOfSession(deps.store, deps.app.chat, question.session_id);
  const place = entry && placeOf(deps, entry);
  if (place !== undefined) await deps.questions.askAgain(place, question);
}

/** Undefined: the platform is not configured any more, or the chat has never said anything. */
function placeOf(deps: ParkedFormsDeps, entry: GatewayEntry): AskingPlace | undefined {
  if (entry.origin === null || entry.platform === null) return undefined;
  const platform = entry.platform as PlatformTag; // entries are those of platforms
  const account = deps.platforms().find(({ tag }) => tag === platform)?.account;
  if (account === undefined) return undefined;
  const said: InboundSource = JSON.parse(entry.origin); // the gateway wrote it from one
  const source = { ...said, messageId: null }; // it answers no message
  return {
    key: entry.session_key,
    session: entry.session_id,
    event: { platform, account, source, extra: null },
    emit: emitTo(deps.outbox),
  };
}
