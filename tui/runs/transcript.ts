import { wanted } from "../chat/history.js";
import { moveCursor, scrollBy } from "../chat/move.js";
import { chatReducer } from "../chat/reducer.js";
import { searchInput } from "../chat/search.js";
import type { ChatState } from "../chat/state.js";
import { chatRows, chatScroll } from "../chat/view.js";
import { EMPTY, replaceAll } from "../composer/editor.js";
import type { Scroll } from "../draw/boxes.js";
import type { RowOf } from "../draw/canvas.js";
import { roomOf } from "../logs/lens.js";
import type { PaneLine, Step } from "../model/define-pane.js";
import type { Effect, Message } from "../model/messages.js";
import { NO_SESSION } from "../model/session.js";
import type { State, Updated } from "../model/state.js";
import type { Input } from "../terminal/decode.js";

/** Answers to what the conversation of a run asks come back under this name. */
export const RUN_CHAT = "runs.";

const LAID_MOST = 159; // from the next column on the layout would be another one

/**
 * The state as the pane of the chat would have it if the run's conversation were the one that is shown: the same rows, the same moves. The pane
 * of runs takes the chat's place, as large as it is.
 */
function inner(state: State): State | undefined {
  const { opened, all } = state.runs;
  if (opened?.chat === undefined) return undefined;
  const row = all.get(opened.id);
  const { width, height } = roomOf(state, "runs");
  const turnSince =
    row !== undefined && row.endedAt === null ? state.now - Math.max(0, state.wall - row.startedAt) : undefined;
  return {
    ...state,
    columns: Math.min(width, LAID_MOST),
    rows: Math.max(1, height - 1) + 6,
    pane: "board",
    zoom: false,
    overlay: undefined,
    focus: state.focus === "runs" ? "chat" : "composer",
    chat: opened.chat,
    session: { ...NO_SESSION, id: row?.session, turnSince },
  };
}

/** The pane's own state with what became of the conversation. */
function outer(state: State, chat: ChatState): State {
  const { opened } = state.runs;
  return opened === undefined || opened.chat === chat
    ? state
    : { ...state, runs: { ...state.runs, opened: { ...opened, chat } } };
}

/** The conversation of the run, as the pane of the chat shows one. */
export function transcriptRows(state: State, width: number, height: number): readonly RowOf[] {
  const chat = inner(state);
  return chat === undefined ? [] : chatRows(chat, Math.min(width, LAID_MOST), height);
}

export function transcriptScroll(state: State, width: number, height: number): Scroll | undefined {
  const chat = inner(state);
  return chat === undefined || chat.chat.loading ? undefined : chatScroll(chat, Math.min(width, LAID_MOST), height);
}

/** Rows of the wheel. */
export function transcriptTurned(state: State, by: number): State {
  const chat = inner(state);
  return chat === undefined ? state : outer(state, scrollBy(chat, by).chat);
}

export function transcriptMoved(state: State, step: Step): State {
  const chat = inner(state);
  return chat === undefined ? state : outer(state, moveCursor(chat, step).chat);
}

/** What a step asks of the owner. */
export function transcriptWants(before: State, after: State): readonly Effect[] {
  const a = inner(before);
  const b = inner(after);
  return a === undefined || b === undefined ? [] : named(wanted(a, b));
}

/** An action of the chat's pane, done with the conversation of the run. What it says is said. */
export const inTranscript =
  (act: (state: State) => Updated) =>
  (state: State): Updated => {
    const chat = inner(state);
    if (chat === undefined) return [state, []];
    const [next, effects] = act(chat);
    const said = next.message === chat.message ? state : { ...state, message: next.message };
    return [outer(said, next.chat), named(effects)];
  };

/** A message for the conversation of the run. */
export function transcriptFed(state: State, message: Message): State {
  const chat = inner(state);
  const [next] = (chat === undefined ? undefined : chatReducer(chat, message)) ?? [];
  return next === undefined ? state : outer(state, next.chat);
}

/** Only reading goes out, and its answers come back here. */
const named = (effects: readonly Effect[]): readonly Effect[] =>
  effects.flatMap((effect): Effect[] => {
    if (effect.do === "copy" || effect.do === "hand") return [effect];
    if (effect.do !== "call" || effect.reads !== true || effect.to === undefined) return [];
    return [{ ...effect, to: `${RUN_CHAT}${effect.to}` }];
  });

/** What is searched in the conversation, while it is typed. */
export function transcriptLine(state: State): PaneLine | undefined {
  const search = inner(state)?.chat.search;
  if (search?.typing !== true) return undefined;
  const given = (input: Input) => (at: State) => searchInput(at, input) ?? ([at, []] as const);
  const key = (name: string, ctrl = false): Input => ({ type: "key", name, ctrl, alt: false, shift: false });
  const through = (...inputs: readonly Input[]): Updated =>
    inputs.reduce<Updated>(
      ([at, effects], input) => {
        const [next, more] = inTranscript(given(input))(at);
        return [next, [...effects, ...more]];
      },
      [state, []],
    );
  return {
    editor: replaceAll(EMPTY, search.text),
    changed: (editor) => through(key("u", true), { type: "text", text: editor.text }),
    taken: () => through(key("enter")),
    dropped: () => through(key("escape")),
  };
}
