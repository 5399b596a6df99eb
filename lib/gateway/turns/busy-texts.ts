import type { Clock } from "../../base/time/clock.js";
import type { Ms, SessionId } from "../../base/units.js";
import type { EventOrigin, Inbound } from "../../contracts/board/platform-tag.js";
import type { ChatApi } from "../../contracts/chat/chat.js";
import type { BusyMode } from "../../contracts/chat/queue.js";
import { parseInlineMode } from "../router/inline-mode.js";
import type { BusyText, TextOutcome } from "../router/router.js";
import type { Acknowledgements } from "./acknowledgements.js";
import type { LiveTurn, LiveTurns } from "./live-turns.js";

export interface BusyDeps {
  readonly chat: ChatApi;
  readonly clock: Clock;
  readonly live: LiveTurns;
  readonly acks: Acknowledgements;
  readonly mode: () => Exclude<BusyMode, "auto">;
  /** For how long a text belongs to the beginning of its turn. */
  readonly grace: (platform: EventOrigin) => Ms;
  /** A text that answers a question of the running turn. */
  readonly answers: (live: LiveTurn, event: Inbound) => Promise<boolean>;
  /** A text that fills in a form whose turn has ended. */
  readonly answersParked: (event: Inbound, sessionKey: string) => Promise<boolean>;
}

const PICTURES: ReadonlySet<string> = new Set(["photo", "video"]);

/** What happens to the text of a chat while a turn of it runs (gateway part, 10.2). */
export function createBusyTexts(deps: BusyDeps): BusyText {
  return {
    isMessage: (event) => parseInlineMode(event) !== undefined,
    meet: async (event, key) => {
      if (event.internal) return { joins: false }; // no user waits
      const said = parseInlineMode(event);
      const live = deps.live.of(key);
      if (said === undefined && (await deps.answersParked(event, key))) return { done: [] };
      if (live === undefined) return said === undefined ? {} : { waits: async () => undefined };
      if (said === undefined && event.text.trim() !== "" && (await deps.answers(live, event))) return { done: [] };
      if (said !== undefined)
        return said.mode === "steer"
          ? steered(deps, live, { event, text: said.text, asked: true })
          : queued(deps, live, event);
      return plain(deps, live, event);
    },
  };
}

async function plain(deps: BusyDeps, live: LiveTurn, event: Inbound): Promise<TextOutcome> {
  if (PICTURES.has(event.type) || event.media.length > 0) return { joins: true };
  const { clock, chat, acks } = deps;
  const mode = deps.mode();
  if (mode === "steer") return steered(deps, live, { event, text: event.text, asked: false });
  if (mode === "queue") return { joins: false, waits: () => acks.tell(live, event, "⏳ Queued: this comes next.") };
  // What follows right away was meant together with what the turn began with.
  if (clock.mono() - live.progress.startedAt < deps.grace(event.platform)) return { joins: true };
  if (await delegating(chat, live.session)) {
    return {
      joins: false,
      waits: () => acks.tell(live, event, "⏳ Subagent running: this comes when the turn has ended."),
    };
  }
  const waits = async () => {
    const told = acks.tell(live, event, "⚡ Interrupting: this comes next.");
    live.interrupt();
    await told;
  };
  return { joins: true, waits };
}

/** Delegated work would be lost with the turn. */
async function delegating(chat: ChatApi, session: SessionId): Promise<boolean> {
  return (await chat.children(session)).some(({ status }) => status === "running");
}

function queued({ acks }: BusyDeps, live: LiveTurn, event: Inbound): TextOutcome {
  return {
    joins: false,
    waits: (waiting) => acks.answer(live, event, `⏳ Queued${waiting > 1 ? `: ${waiting} wait` : ""}.`),
  };
}

interface Steering {
  readonly event: Inbound;
  readonly text: string;
  /** By a command, which is always answered. */
  readonly asked: boolean;
}

const PREVIEW = 60;

async function steered(deps: BusyDeps, live: LiveTurn, { event, text, asked }: Steering): Promise<TextOutcome> {
  const { chat, acks } = deps;
  const posted = live.progress.stopping ? undefined : await taken(chat, live.session, text);
  if (!posted)
    return asked
      ? queued(deps, live, event)
      : { joins: false, waits: () => acks.tell(live, event, "⏳ Queued: this comes next.") };
  const preview = [...text.replace(/\s+/g, " ")].slice(0, PREVIEW).join("");
  const told = `⏩ Steered: ${preview}`;
  if (asked) return { done: acks.row(event, told) };
  return { done: await acks.due(live, event, told) };
}

/** False: the running turn takes no words. */
async function taken(chat: ChatApi, session: SessionId, text: string): Promise<boolean> {
  const { turn_id } = await chat.view(session);
  if (turn_id === null) return false;
  return (await chat.steer(session, text)).did === "steered";
}
