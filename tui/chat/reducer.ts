import { segmentAfter } from "../../lib/contracts/chat/compaction-lines.js";
import type { SessionPage } from "../../lib/contracts/wire/shapes/session-page.js";
import { replaceAll } from "../composer/editor.js";
import { sanitizeLine } from "../draw/sanitize.js";
import type { Message } from "../model/messages.js";
import { type Reducer, type State, showMessage, type Updated } from "../model/state.js";
import { requestQuit } from "../overlays/quit/update.js";
import { allFolded, undone } from "./actions.js";
import { withEnd, withNewer, withOlder, withPlace } from "./history.js";
import { onClock } from "./items.js";
import { opening } from "./opening.js";
import { wholeResult } from "./results.js";
import { found, shown } from "./search.js";
import type { ChatItem, ChatState } from "./state.js";
import { chatEvent, finishCommand, withTurnSoFar } from "./update.js";

/** The conversation in its pane. */
export const chatReducer: Reducer = (state, message) => {
  switch (message.type) {
    case "next":
      return wanted(state, message.next);
    case "called":
      return message.to.startsWith("chat.") ? called(state, message) : undefined;
    case "confirmed":
      return message.asker === "chat.undo" ? undone(state, message.choice, message.subject["turns"] ?? "0") : undefined;
    case "elsewhere":
      return [showMessage(state, message.text), []];
    default: {
      const chat = changed(state, message);
      return chat === undefined ? undefined : [{ ...state, chat }, []];
    }
  }
};

function changed(state: State, message: Message): ChatState | undefined {
  const { chat } = state;
  switch (message.type) {
    case "session":
      return opened(state, message);
    case "opening":
      return { ...chat, opening: opening(state.now, message) };
    case "chat":
      return following(chatEvent(state, message.event, message.data), segmentAfter(message.event, message.data));
    case "command":
      return finishCommand(chat, message);
    case "following":
      return { ...chat, following: message.id };
    case "followed":
      return chat.following === message.id ? { ...chat, following: undefined } : chat;
    case "view":
      return { ...withTurnSoFar(state, message.view), cutOff: message.view["cut_off"] === true };
    default:
      return undefined;
  }
}

const MOST_SHOWN = 50;

/** It goes on in another segment. */
const following = (chat: ChatState, segment: string | undefined): ChatState =>
  segment === undefined ? chat : { ...chat, of: segment };

const NOT_READ = {
  live: undefined,
  thinking: undefined,
  streamed: 0,
  closed: false,
  writing: undefined,
  output: {},
  top: undefined,
  mark: undefined,
  cursor: undefined,
  search: undefined,
  cutOff: false,
} as const;

/** The conversation as it was read, and behind it the commands of this screen: no record has them. Another one begins at its end. */
function opened(state: State, message: Extract<Message, { type: "session" }>): ChatState {
  const { chat, inline } = state;
  const { id, older, todo } = message;
  const items = onClock(message.items, state);
  const another = chat.of !== undefined && chat.of !== id && message.fresh === true;
  const base: ChatState = another ? { ...chat, ...NOT_READ } : chat;
  // Line mode writes what a command answers for good, whatever is opened by then.
  const stay = (item: ChatItem) =>
    item.kind === "command" && (!another || inline !== undefined || item.id === chat.following);
  const commands = chat.items.filter(stay);
  const here = {
    of: id,
    items: [...items, ...commands],
    older: older === undefined ? ("no" as const) : ("yes" as const),
    olderAt: older,
    newer: "no" as const,
    newerAt: undefined,
    loading: false,
    round: message.round ?? 0,
    todo: todo ?? [],
    shown: withShown(chat.shown, id),
  };
  return { ...base, ...here, live: chat.closed || another ? undefined : base.live };
}

function withShown({ ids, at }: ChatState["shown"], id: string): ChatState["shown"] {
  if (ids[at] === id) return { ids, at };
  const next = [...ids.slice(0, at + 1).filter((one) => one !== id), id].slice(-MOST_SHOWN);
  return { ids: next, at: next.length - 1 };
}

type Called = Extract<Message, { type: "called" }>;

function called(state: State, message: Called): Updated {
  if (!message.ok) return [failed(state, message), []];
  const { to, result } = message;
  const page = result as SessionPage; // what `session.page` answers, where it was asked
  if (to === "chat.older") return [{ ...state, chat: withOlder(state.chat, page) }, []];
  if (to === "chat.newer") return [{ ...state, chat: withNewer(state.chat, page) }, []];
  if (to === "chat.end") return [{ ...state, chat: withEnd(state.chat, page, state) }, []];
  if (to.startsWith("chat.place:"))
    return [shown({ ...state, chat: withPlace(state.chat, page) }, to.slice("chat.place:".length)), []];
  if (to.startsWith("chat.whole:")) return [withWhole(state, to.slice("chat.whole:".length), result), []];
  if (to === "chat.found") return found(state, placesIn(result));
  if (to === "chat.fork")
    return [showMessage(state, "forked: this is the new session"), [{ do: "open", session: idIn(result) }]];
  if (to === "chat.undo") return [showMessage(state, "undone; /redo brings it back"), []];
  return [state, []];
}

function failed(state: State, { to, message }: Extract<Called, { ok: false }>): State {
  const { chat } = state;
  const told = showMessage(state, sanitizeLine(message), true);
  if (to === "chat.older") return { ...told, chat: { ...chat, older: "failed" } };
  if (to === "chat.newer" || to === "chat.end") return { ...told, chat: { ...chat, newer: "failed" } };
  return told;
}

const MOST_WHOLE = 8;

/** A result that was fetched whole; only the newest few are kept. */
function withWhole(state: State, key: string, result: unknown): State {
  const content = typeof result === "object" && result !== null && "content" in result ? String(result.content) : "";
  const rest = Object.entries(state.chat.whole).filter(([other]) => other !== key);
  return {
    ...state,
    chat: { ...state.chat, whole: Object.fromEntries([...rest.slice(1 - MOST_WHOLE), [key, wholeResult(content)]]) },
  };
}

function placesIn(result: unknown): Parameters<typeof found>[1] {
  const rows = typeof result === "object" && result !== null && "found" in result ? result.found : [];
  return Array.isArray(rows) ? rows : []; // `session.find` answers places
}

function idIn(result: unknown): string | undefined {
  return typeof result === "object" && result !== null && "id" in result && typeof result.id === "string"
    ? result.id
    : undefined;
}

/** Of the answer of a command that opens another conversation: what that one does not show itself. */
function headOf({ chat }: State): string {
  const last = chat.items.findLast((item) => item.kind === "command" && item.answer !== undefined);
  const answer = last?.kind === "command" ? (last.answer ?? "") : "";
  return answer.split("\n> ", 1)[0]?.split("\n").join(" · ") ?? "";
}

/** What a command asks of the screen: a text to copy or in the composer, folds, the end. Another conversation is opened by its feeder. */
function wanted(
  state: State,
  { compose, copy, quit, gone, screen, open }: Extract<Message, { type: "next" }>["next"],
): Updated {
  if (open !== undefined && state.inline === undefined) return [showMessage(state, sanitizeLine(headOf(state))), []];
  if (quit === true)
    return requestQuit(gone === true ? { ...state, session: { ...state.session, id: undefined } } : state);
  if (copy !== undefined) return [state, [{ do: "copy", text: copy }]];
  if (screen?.details !== undefined) return allFolded(state, screen.details);
  const { composer } = state;
  if (compose === undefined || composer.editor.text !== "") return [state, []];
  return [{ ...state, composer: { ...composer, editor: replaceAll(composer.editor, compose) } }, []];
}
