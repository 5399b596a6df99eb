import type { SlashNext } from "../lib/proto/slash.js";
import { replaceAll } from "./editor.js";
import type { Effect, Message } from "./messages.js";
import type { State } from "./state.js";
import { answered, updateChat } from "./update-chat.js";
import { updateKey, updateText } from "./update-key.js";
import { noteKey, questionInput, questionList } from "./update-question.js";
import { viewed } from "./update-queue.js";

export type Updated = readonly [State, readonly Effect[]];

const LOG_ROWS = 5_000;
const MESSAGE_MS = 4_000;

/** The next state and what is to be done. Pure: the same state and message always give the same. */
export function update(state: State, message: Message): Updated {
  switch (message.type) {
    case "key":
      return questionInput(state, message) ?? updateKey(noteKey(state), message);
    case "text":
    case "paste":
      return questionInput(state, message) ?? updateText(noteKey(state), message.text, message.type === "paste");
    case "mouse":
    case "focus":
    case "reply":
      return [state, []];
    case "resize":
      return [{ ...state, columns: message.columns, rows: message.rows }, []];
    case "tick":
      return [tick(state, message.now, message.wall), []];
    case "connection":
      return connection(state, message.state);
    case "session":
      return shown({
        ...state,
        session: message.id,
        title: message.title,
        model: message.model,
        items: withCommands(message.items, state),
      });
    case "history":
      return [{ ...state, items: withCommands(message.items, state), streaming: "" }, []];
    case "chat":
      return updateChat(state, message.event, message.data);
    case "command":
      return [answered(state, message), []];
    case "next":
      return followed(state, message.next);
    case "following":
      return [{ ...state, following: message.id }, []];
    case "followed":
      return [state.following === message.id ? { ...state, following: undefined } : state, []];
    case "questions":
      return [{ ...questionList(state, message.rows), yolo: message.yolo }, []];
    case "board":
      return [{ ...state, board: message.board, runs: message.runs, boardSlug: message.slug }, []];
    case "log":
      return [{ ...state, logs: [...state.logs, ...message.rows].slice(-LOG_ROWS) }, []];
    case "sent":
      return sent(state, message.ok);
    case "view":
      return [viewed(state, message.view), []];
    case "say":
      return [{ ...state, message: { text: message.text, error: message.error, until: state.now + MESSAGE_MS } }, []];
  }
}

/** What a command asks of the screen: a text in the composer, the end. Another conversation is opened by whoever feeds it. */
function followed(state: State, { compose, quit, gone }: SlashNext): ReturnType<typeof update> {
  if (quit === true) return [gone === true ? { ...state, session: undefined } : state, [{ do: "quit" }]];
  return [compose === undefined || state.composer.text !== "" ? state : { ...state, composer: replaceAll(state.composer, compose) }, []];
}

/** The conversation as it was read anew, and behind it the commands of this screen: no record has them. */
const withCommands = (items: State["items"], { items: before }: State): State["items"] => [
  ...items,
  ...before.filter((item) => item.kind === "command"),
];

function tick(state: State, now: number, wall: number): State {
  const message = state.message && state.message.until > now ? state.message : undefined;
  const quitArmed = state.quitArmed !== undefined && state.quitArmed > now ? state.quitArmed : undefined;
  return { ...state, now, wall, message, quitArmed };
}

/** What was typed while nobody listened is sent once, in order. */
function connection(state: State, to: "connected" | "lost"): Updated {
  if (to === "lost") return [{ ...state, connection: to }, []];
  const [next, effects] = sendFirst({ ...state, connection: to });
  return [next, [{ do: "reload" }, { do: "attach" }, ...effects]];
}

/** What was typed before the session was there is sent to it. */
const shown = (state: State): Updated => sendFirst(state);

/** Messages go one after the other: the next one when the owner has the first. */
function sendFirst(state: State): Updated {
  const first = state.queue[0];
  const can = first !== undefined && state.session !== undefined && state.connection === "connected" && !state.sending;
  return can ? [{ ...state, sending: true }, [{ do: "submit", text: first }]] : [state, []];
}

/** A message that was refused stays, and is sent before the next one. */
function sent(state: State, ok: boolean): Updated {
  const next = { ...state, sending: false };
  return ok ? sendFirst({ ...next, queue: state.queue.slice(1) }) : [next, []];
}
