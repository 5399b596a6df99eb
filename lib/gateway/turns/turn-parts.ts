import type { Store } from "../../../storage/store.js";
import type { Clock } from "../../base/time/clock.js";
import { MAX_TURNS } from "../../chat/config/keys.js";
import type { AppOptions } from "../../config/app-options.js";
import type { EventOrigin, Inbound } from "../../contracts/board/platform-tag.js";
import type { ChatApi, TurnResult } from "../../contracts/chat/chat.js";
import type { ChatMember } from "../../contracts/chat/slash.js";
import type { NewSend } from "../../contracts/gateway/outbox.js";
import { isPlatform, traitsOf } from "../../contracts/gateway/platform-traits.js";
import type { TurnCommands } from "../commands/command-steps.js";
import { createTurnSends } from "../outbox/turn-sends.js";
import type { Gateway } from "../router/gateway.js";
import type { BusyText } from "../router/router.js";
import { footerLine } from "../text/runtime-footer.js";
import { createAcknowledgements } from "./acknowledgements.js";
import { createAnswerStream } from "./answer-stream.js";
import { createBusyTexts } from "./busy-texts.js";
import { type ChatQuestions, createChatQuestions } from "./chat-questions.js";
import { type LeftTurn, loseCursor } from "./interrupted-turn.js";
import { createLiveTurns, type LiveDeps, type LiveTurns } from "./live-turns.js";
import { createBubbles } from "./progress-messages.js";
import { compactLargeSession } from "./session-hygiene.js";
import { createToolLines } from "./tool-lines.js";
import { turnCommands } from "./turn-commands.js";
import { createTurnLimits } from "./turn-limits.js";
import { renderTurnProgress } from "./turn-progress.js";
import { turnSettings } from "./turn-settings.js";
import { createTypingIndicator } from "./typing-indicator.js";

export interface TurnPartsDeps {
  readonly app: { readonly options: AppOptions; readonly chat: ChatApi };
  readonly store: Store;
  readonly clock: Clock;
  readonly gateway: () => Gateway;
  readonly member: (event: Inbound) => ChatMember;
  /** What else accompanies each turn. */
  readonly aids?: LiveDeps["aids"];
  /** The conversation of a session key. */
  readonly at: (sessionKey: string) => Promise<Parameters<typeof compactLargeSession>[1] | undefined>;
}

type Wanting = Parameters<typeof compactLargeSession> extends [unknown, ...infer Rest] ? Rest : never;

/** What makes a turn of a chat more than a message and its answer. */
export interface TurnParts {
  readonly live: LiveTurns;
  readonly busy: BusyText;
  readonly ready: (...turn: Wanting) => ReturnType<typeof compactLargeSession>;
  readonly footer: (event: Inbound, result: TurnResult) => Promise<string>;
  /** What was visible of a turn that an earlier owner began is left in order. */
  readonly left: (turn: LeftTurn) => Promise<void>;
  /** What pressed buttons of its questions lead to; undefined: the button is none of them. */
  readonly press: (event: Inbound) => Promise<readonly NewSend[] | undefined>;
  /** Its questions, for forms that outlive their turns. */
  readonly questions: Pick<ChatQuestions, "askAgain" | "ended">;
  /** How far the turn of a session is, for people; undefined: none runs. */
  readonly progress: (sessionKey: string) => string | undefined;
  /** Commands that concern the running turn. */
  readonly commands: TurnCommands;
}

export function createTurnParts({ app, store, clock, gateway, at, member, aids = [] }: TurnPartsDeps): TurnParts {
  const { chat, options } = app;
  const { ids, log, config, env } = options;
  const settings = turnSettings(options);
  const platformOf = ({ platform }: Pick<Inbound, "platform">) =>
    gateway()
      .supervisor.connected()
      .find(({ tag }) => tag === platform);
  const outbox = () => gateway().outbox;
  const later = {
    insert: (turn: string, sends: Parameters<ReturnType<typeof createTurnSends>["insert"]>[1]) =>
      sendsNow().insert(turn, sends),
    drop: (turn: string) => sendsNow().drop(turn),
  };
  const sendsNow = () => createTurnSends({ store, outbox: outbox(), clock });
  const bubbles = createBubbles({ clock, ids, platformOf });
  const questions = createChatQuestions({ chat, clock, log: log.child("gateway"), outbox, member, live: () => live });
  const says = createAnswerStream({ clock, ids, settings, outbox, platformOf, visible: () => gateway().visible });
  const live: LiveTurns = createLiveTurns({
    chat,
    clock,
    sends: later,
    log: log.child("gateway"),
    aids: [
      createTypingIndicator({ clock, platformOf }),
      createTurnLimits({ clock, settings, bubbles }),
      (turn) => (isPlatform(turn.event.platform) ? questions.aid(turn) : {}),
      createToolLines({ settings, bubbles }),
      says,
      ...aids,
    ],
  });
  const acks = createAcknowledgements({
    clock,
    settings,
    outbox: { insert: (sends) => outbox().insert(sends) },
    most: () => config.get(MAX_TURNS),
  });
  const grace = (platform: EventOrigin) => {
    const { followUpGraceMs } = traitsOf(platform);
    if (followUpGraceMs === 0) return 0;
    const given = Number(env[`AGENT_${platform.toUpperCase()}_FOLLOWUP_GRACE_SECONDS`] ?? Number.NaN);
    return Number.isFinite(given) && given >= 0 ? given * 1000 : followUpGraceMs;
  };
  return {
    live,
    busy: createBusyTexts({
      chat,
      clock,
      live,
      acks,
      grace,
      mode: settings.busyMode,
      answers: questions.answers,
      answersParked: questions.answersParked,
    }),
    ready: (...turn) => compactLargeSession({ chat, config, log }, ...turn),
    footer: async ({ platform }, { model, last_prompt_tokens: used, context_window: window, session_id }) => {
      const fields = settings.footer(platform);
      if (fields.length === 0) return "";
      const cwd = (await chat.get(session_id))?.cwd ?? "";
      return footerLine(fields, { model, used, window, cwd, home: env["HOME"] ?? "" });
    },
    press: questions.press,
    questions,
    left: (turn) => loseCursor({ visible: () => gateway().visible, outbox }, turn),
    progress: (key) => renderTurnProgress(live.of(key), { now: clock.mono(), most: config.get(MAX_TURNS) }),
    commands: turnCommands({ chat, live, at, answer: questions.command }),
  };
}
