import type { Store } from "../../../storage/store.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import type { AppOptions } from "../../config/app-options.js";
import type { Inbound, InboxBatch } from "../../contracts/board/platform-tag.js";
import type { ChatApi } from "../../contracts/chat/chat.js";
import type { InboxTurnEnd } from "../../contracts/gateway/outbox.js";
import { type Conversations, resetPolicy } from "../conversations/conversations.js";
import { withHomeHint } from "../conversations/home-hint.js";
import { withNotices } from "../conversations/reset-notices.js";
import { turnMedia } from "../conversations/turn-media.js";
import type { GatewayTurns } from "../router/dispatch.js";
import type { Gateway } from "../router/gateway.js";
import { type PlaceholderDeps, withTurnPlaceholders } from "../router/placeholders.js";
import { slowAnswers } from "../router/slow-answers-settings.js";
import { ACCESS } from "../settings/access-keys.js";
import { GATEWAY } from "../settings/gateway-keys.js";
import { settingsSource } from "../settings/platform-settings.js";
import { isShared } from "../settings/session-key.js";
import { keyRulesOf } from "../settings/session-key-rules.js";
import { chatTurns } from "../turns/chat-turns.js";
import type { LiveTurns } from "../turns/live-turns.js";
import type { createTurnParts } from "../turns/turn-parts.js";
import { commenting } from "../webhooks/build-webhooks.js";

interface AllTurnsDeps {
  readonly app: { readonly options: AppOptions; readonly chat: ChatApi };
  readonly store: Store;
  /** The first answer on a platform without a home channel says so. */
  readonly hints: boolean | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly conversations: Conversations;
  readonly inTurns: ReturnType<typeof createTurnParts>;
  /** Events that a turn works on. */
  readonly rows: PlaceholderDeps["rows"];
  readonly gateway: () => Gateway;
}

/** The turns that events of chats become, and what is told around them: that a conversation begins anew, where home is, that an answer takes its time. */
export function allTurns({ app, store, hints, clock, log, conversations, inTurns, rows, gateway }: AllTurnsDeps): {
  readonly turns: GatewayTurns;
  readonly slow: ReturnType<typeof slowAnswers>;
} {
  const { options, chat } = app;
  const { config, ids } = options;
  const { live, ready, footer, left } = inTurns;
  const worked = chatTurns({
    store,
    chat,
    clock,
    ids,
    conversations,
    rows,
    live,
    ready,
    footer,
    left,
    media: turnMedia(options, store, gateway),
    shown: (turn) => gateway().visible.of(turn),
    shared: (event) => isShared(event, keyRulesOf(config)),
    doubts: (target) => gateway().outbox.takeDoubts(target),
    freshness: () => config.get(GATEWAY.freshness) * 1000,
  });
  const hinted =
    hints === true ? withHomeHint(worked, { store, source: settingsSource(options), now: clock.now }) : worked;
  const anew = withNotices(hinted, {
    store,
    conversations,
    outbox: () => gateway().outbox,
    policy: (event: Inbound) => resetPolicy(options, event),
    atOnce: () => config.get(ACCESS.atOnce),
  });
  const slow = slowAnswers({ ...options, store, clock, log, outbox: () => gateway().outbox });
  return { turns: withdrawable(slow.around(shownIn(commenting(options, anew), { gateway, rows, log })), live), slow };
}

/** Who ends a turn finds it from its first moment, before its conversation is known. */
function withdrawable(turns: GatewayTurns, { readying }: Pick<LiveTurns, "readying">): GatewayTurns {
  const from = async (batch: InboxBatch, work: () => Promise<InboxTurnEnd>) => {
    const { over } = readying(batch.sessionKey);
    try {
      return await work();
    } finally {
      over();
    }
  };
  return {
    ...turns,
    run: (turn, batch, signal) => from(batch, () => turns.run(turn, batch, signal)),
    resume: (turn, root, batch, signal) => from(batch, () => turns.resume(turn, root, batch, signal)),
  };
}

interface ShownIn extends Pick<PlaceholderDeps, "rows" | "log"> {
  readonly gateway: () => Gateway;
}

/** Turns whose answers take the place of what is shown while they run. */
const shownIn = (turns: GatewayTurns, { gateway, ...deps }: ShownIn): GatewayTurns =>
  withTurnPlaceholders(turns, {
    ...deps,
    platform: (tag) =>
      gateway()
        .supervisor.connected()
        .find((one) => one.tag === tag),
    visible: () => gateway().visible,
  });
