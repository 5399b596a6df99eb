import type { Store } from "../../../storage/store.js";
import { toAppError } from "../../base/errors.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import type { AppOptions } from "../../config/app-options.js";
import type { Inbound, InboxBatch } from "../../contracts/board/platform-tag.js";
import type { ChatApi } from "../../contracts/chat/chat.js";
import type { InboxTurnEnd } from "../../contracts/gateway/outbox.js";
import { type Conversations, resetPolicy } from "../conversations/conversations.js";
import { addHomeHint } from "../conversations/home-hint.js";
import { createResetNotices, type ResetNotices, tellFull } from "../conversations/reset-notices.js";
import type { SpokenAnswers } from "../conversations/spoken-answers.js";
import { turnMedia } from "../conversations/turn-media.js";
import type { GatewayTurns, LeftTurnOutcome } from "../router/dispatch.js";
import type { Gateway } from "../router/gateway.js";
import { createPlaceholders, type PlaceholderDeps, type Placeholders } from "../router/placeholders.js";
import { createSlowAnswers, type SlowAnswers, type SlowWatch } from "../router/slow-answers.js";
import { ACCESS } from "../settings/access-keys.js";
import { GATEWAY } from "../settings/gateway-keys.js";
import { platformSettings, settingsSource } from "../settings/platform-settings.js";
import { isShared } from "../settings/session-key.js";
import { keyRulesOf } from "../settings/session-key-rules.js";
import { chatTurns } from "../turns/chat-turns.js";
import type { LiveTurns } from "../turns/live-turns.js";
import type { createTurnParts } from "../turns/turn-parts.js";
import { buildComments } from "../webhooks/build-webhooks.js";
import type { PullRequestComments } from "../webhooks/pr-comments.js";

/** What is done for a turn of a chat besides the work in its conversation. */
export interface TurnSteps {
  /** The work: the message goes to its conversation, the end says what is sent (`chat-turns.ts`). */
  readonly work: GatewayTurns;
  readonly log: Log;
  readonly starting: Pick<LiveTurns, "readying">;
  readonly button: Pick<SlowAnswers, "watch" | "fill">;
  readonly placeholder: Placeholders;
  readonly reset: ResetNotices;
  readonly homeHint: (batch: InboxBatch, end: InboxTurnEnd) => Promise<InboxTurnEnd>;
  readonly comments: PullRequestComments;
}

/** Steps that do nothing. */
export const NO_STEPS: Omit<TurnSteps, "work" | "log"> = {
  starting: {
    readying: () => ({ withdrawn: new AbortController().signal, fenced: undefined, over: () => undefined }),
  },
  button: { watch: () => undefined, fill: async (_root, end) => end },
  placeholder: { show: async () => undefined, replace: async (_root, end) => end },
  reset: { tell: async () => undefined, head: (_batch, end) => end },
  homeHint: async (_batch, end) => end,
  comments: { post: async (end) => end, skip: (_root, end) => end, without: (end) => end },
};

/** Turns with all their steps. */
export function turnsWithSteps(steps: TurnSteps): GatewayTurns {
  return {
    ...steps.work,
    run: (turn, batch, signal) => runTurn(steps, { turn, root: turn, batch, signal }),
    resume: (turn, root, batch, signal) => resumeTurn(steps, { turn, root, batch, signal }),
    fate: (root) => fateOfTurn(steps, root),
    failure: (turn, batch, error) => steps.comments.without(steps.work.failure(turn, batch, error)),
  };
}

interface StartedTurn {
  readonly turn: string;
  /** The turn that its rows began with: another one where this one resumes it. */
  readonly root: string;
  readonly batch: InboxBatch;
  readonly signal: AbortSignal;
}

/** What happens to admitted messages, from the beginning of their turn until its end can be stored with what is sent. */
async function runTurn(steps: TurnSteps, started: StartedTurn): Promise<InboxTurnEnd> {
  const { work, starting, button, placeholder, reset, homeHint, comments } = steps;
  const { turn, batch, signal } = started;

  // Who ends the turn finds it from its first moment, before its conversation is known.
  const ready = starting.readying(batch.sessionKey);
  let watch: SlowWatch | undefined;
  try {
    // An answer that outlasts the right to reply is fetched with a button.
    watch = button.watch(turn, batch);

    const answered = await orFailure(steps, started, async () => {
      await placeholder.show(turn, batch, signal);
      const notice = await reset.tell(turn, batch);
      const worked = await work.run(turn, batch, signal);
      const hinted = await homeHint(batch, worked);
      const headed = reset.head(batch, hinted, notice);
      return comments.post(headed);
    });

    const placed = await orFailure(steps, started, () => placeholder.replace(turn, answered, batch.rows));
    await watch?.stop();
    return await button.fill(turn, placed);
  } finally {
    await watch?.stop();
    ready.over();
  }
}

/** The same for a turn that goes on where an earlier owner was cut off: what was shown and told then stands. */
async function resumeTurn(steps: TurnSteps, started: StartedTurn): Promise<InboxTurnEnd> {
  const { work, starting, button, placeholder, comments } = steps;
  const { turn, root, batch, signal } = started;

  const ready = starting.readying(batch.sessionKey);
  try {
    const answered = await orFailure(steps, started, async () =>
      comments.post(await work.resume(turn, root, batch, signal)),
    );
    const placed = await orFailure(steps, started, () => placeholder.replace(root, answered, batch.rows));
    return await button.fill(root, placed);
  } finally {
    ready.over();
  }
}

/** What became of a turn that an earlier owner left, with the end that its rows still lack. */
async function fateOfTurn({ work, button, placeholder, comments }: TurnSteps, root: string): Promise<LeftTurnOutcome> {
  const fate = await work.fate(root);
  if (fate.was === "absent") await button.fill(root, { state: "failed", reason: null, sends: [] });
  if (fate.was !== "ended") return fate;
  const placed = await placeholder.replace(root, comments.skip(root, fate.end));
  return { ...fate, end: await button.fill(root, placed) };
}

/** A failure is worded where it happens, because its words take the place of the placeholder as well. @throws when the turn is aborted */
async function orFailure(
  { work, comments, log }: TurnSteps,
  { root, batch, signal }: StartedTurn,
  step: () => Promise<InboxTurnEnd>,
): Promise<InboxTurnEnd> {
  try {
    return await step();
  } catch (error) {
    if (signal.aborted) throw error;
    const { message } = toAppError(error);
    log.error("a turn failed", { error: message });
    return comments.without(work.failure(root, batch, message));
  }
}

interface BuildTurnsDeps {
  readonly app: { readonly options: AppOptions; readonly chat: ChatApi };
  readonly store: Store;
  /** The first answer on a platform without a home channel says so. */
  readonly hints: boolean | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly conversations: Conversations;
  readonly inTurns: ReturnType<typeof createTurnParts>;
  readonly spoken: SpokenAnswers;
  /** Events that a turn works on. */
  readonly rows: PlaceholderDeps["rows"];
  readonly gateway: () => Gateway;
}

/** The turns that messages of chats become, with all their steps. */
export function buildTurns({ app, store, hints, clock, log, inTurns, rows, gateway, ...more }: BuildTurnsDeps): {
  readonly turns: GatewayTurns;
  readonly slow: SlowAnswers;
} {
  const { options, chat } = app;
  const { conversations, spoken } = more;
  const { config, ids } = options;
  const { live, ready, footer, left } = inTurns;
  const work = chatTurns({
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
    spoken,
    shown: (turn) => gateway().visible.of(turn),
    shared: (event) => isShared(event, keyRulesOf(config)),
    doubts: (target) => gateway().outbox.takeDoubts(target),
    freshness: () => config.get(GATEWAY.freshness) * 1000,
  });
  const outbox = () => gateway().outbox;
  const home = { store, source: settingsSource(options), now: clock.now };
  const settings = (platform: string) => platformSettings(platform, settingsSource(options));
  const slow = createSlowAnswers({ ...options, store, clock, log, outbox, settings });
  const turns = turnsWithSteps({
    ...NO_STEPS,
    work,
    log,
    starting: live,
    button: slow,
    placeholder: createPlaceholders({
      rows,
      log,
      platform: (tag) =>
        gateway()
          .supervisor.connected()
          .find((one) => one.tag === tag),
      visible: () => gateway().visible,
    }),
    reset: createResetNotices({
      store,
      conversations,
      outbox,
      policy: (event: Inbound) => resetPolicy(options, event),
    }),
    ...(hints === true ? { homeHint: (batch, end) => addHomeHint(home, batch, end) } : {}),
    comments: buildComments(options),
  });
  return {
    slow,
    turns: {
      ...turns,
      atOnce: () => config.get(ACCESS.atOnce),
      full: (batch, running, most) => tellFull(outbox(), batch, running, most),
    },
  };
}
