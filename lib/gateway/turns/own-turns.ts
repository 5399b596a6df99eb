import type { Store, StoredEvent } from "../../../storage/store.js";
import type { GatewayEntry } from "../../../storage/tables/gateway/sessions.js";
import { defineService, type Service } from "../../base/async/service.js";
import { toAppError } from "../../base/errors.js";
import type { Log } from "../../base/log/log.js";
import type { SessionId } from "../../base/units.js";
import type { InboundSource, PlatformTag } from "../../contracts/board/platform-tag.js";
import type { ChatApi, TurnResult } from "../../contracts/chat/chat.js";
import type { NewSend, SendTarget } from "../../contracts/gateway/outbox.js";
import type { Platform } from "../../contracts/gateway/platform.js";
import type { Outbox } from "../outbox/outbox.js";
import { chatOfSession } from "../targets/chat-of-session.js";
import { spokenOf } from "../text/answer-sends.js";
import { toMessageParts } from "../text/message-parts.js";

export interface OwnTurnsDeps {
  readonly app: { readonly chat: ChatApi; readonly stores: { sessions(): Promise<Store> } };
  readonly store: Store;
  readonly outbox: () => Pick<Outbox, "insert">;
  readonly platforms: () => readonly Platform[];
  readonly log: Log;
}

/** Turns without a message yet; above it the oldest are forgotten. */
const OPEN_AT_MOST = 1_000;

/**
 * Sends to a chat what its conversation says by itself: steps of a goal, notices of background work. A turn that a client asked for has a request and
 * is answered to that client; a mirrored one repeats what the chat was sent already.
 */
export function ownTurns(deps: OwnTurnsDeps): Service {
  return defineService("gateway-own-turns", async (scope) => {
    const asked = new Set<string>();
    const store = await deps.app.stores.sessions();
    scope.onStop(
      store.onEvents((events) => {
        for (const event of events) {
          const told = heard(asked, event);
          if (told === undefined || event.session === undefined) continue;
          const session = event.session as SessionId; // the store wrote it from one
          scope.run(async () => {
            try {
              await deliver(deps, session, told);
            } catch (error) {
              if (!scope.signal.aborted)
                deps.log.error("failed to post conversation updates to a chat", { error: toAppError(error).message });
            }
          });
        }
      }),
    );
  });
}

interface Told {
  readonly key: string;
  readonly text: string;
  readonly turn?: string;
}

/** What an event gives the chat to read; undefined: nothing. */
function heard(asked: Set<string>, { kind, turn, payload }: StoredEvent): Told | undefined {
  if (
    kind === "turn.started" &&
    turn !== undefined &&
    (payload["request"] !== undefined || payload["mirrored"] === true)
  ) {
    asked.add(turn);
    const [oldest] = asked;
    if (asked.size > OPEN_AT_MOST && oldest !== undefined) asked.delete(oldest);
  }
  if (kind !== "turn.ended" || turn === undefined || asked.delete(turn)) return undefined;
  const result = payload as unknown as TurnResult; // the turn wrote it as one
  const text = spokenOf(result);
  return text === undefined ? undefined : { key: `own:${turn}`, text, turn };
}

async function deliver(
  { outbox, store, app, platforms }: OwnTurnsDeps,
  session: SessionId,
  { key, text, turn }: Told,
): Promise<void> {
  const entry = await chatOfSession(store, app.chat, session);
  const target = entry && targetOf(entry, platforms());
  if (target === undefined) return;
  const sends = toMessageParts(target.platform, text, { format: "markdown", asked: false }).map(
    ({ payload }, seq): NewSend => ({
      kind: "answer",
      target,
      payload,
      sourceKey: `${key}:${seq}`,
      ...(turn === undefined ? {} : { turn: { id: turn, seq } }),
    }),
  );
  await outbox().insert(sends);
}

function targetOf({ origin, platform }: GatewayEntry, platforms: readonly Platform[]): SendTarget | undefined {
  if (origin === null || platform === null) return undefined;
  const tag = platform as PlatformTag; // entries are those of platforms
  const { chatId, userId, threadId, chatType }: InboundSource = JSON.parse(origin);
  const chat = chatId ?? (chatType === "dm" ? userId : null);
  const account = platforms.find((one) => one.tag === tag)?.account;
  return chat === null || account === undefined
    ? undefined
    : { platform: tag, account, chatId: chat, threadId, replyTo: null };
}
