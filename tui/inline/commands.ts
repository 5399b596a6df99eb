import { addCommand, finishCommand } from "../chat/update.js";
import { PANE_DEFINITIONS } from "../index.gen.js";
import { PANES, type Pane } from "../model/panes.gen.js";
import type { State, Updated } from "../model/state.js";
import { rowText } from "./bytes.js";
import type { InlineState } from "./state.js";

const VIEW_ROWS = 40;

/** Commands that line mode answers itself: views that the workspace has as panes, and the whole of a row. */
export function inlineCommand(state: State, text: string): ((state: State) => Updated) | undefined {
  const { inline } = state;
  if (inline === undefined) return undefined;
  const [name = "", word = "", ...more] = text.trim().split(/\s+/);
  const view = PANES.find((one) => name === `/${one}` && PANE_DEFINITIONS[one].filter !== undefined);
  if (view !== undefined)
    return word === "watch" ? watched(view, more.join(" ")) : printed(view, text, [word, ...more].join(" ").trim());
  return name === "/show" && more.length === 0 ? shownRow(text, word) : undefined;
}

/** What the words let through, once, as soon as it is here. */
const printed =
  (view: Pane, text: string, words: string) =>
  (state: State): Updated => {
    const earlier = nowPrinted(state);
    const [chat, id] = addCommand(earlier.chat, text);
    const [next, effects] = filtered(withInline({ ...earlier, chat }, { printing: { view, id } }), view, words);
    return [printedWhenHere(next), effects];
  };

/** Kept in the live area until Ctrl+C. */
const watched =
  (watch: Pane, words: string) =>
  (state: State): Updated =>
    filtered(withInline(state, { watch }), watch, words);

const filtered = (state: State, view: Pane, words: string): Updated =>
  PANE_DEFINITIONS[view].filter?.(state, words) ?? [state, []];

/** What line mode knows, changed. */
export const withInline = (state: State, change: Partial<InlineState>): State =>
  state.inline === undefined ? state : { ...state, inline: { ...state.inline, ...change } };

/** Print the view that waits, once nothing of it is on its way any more. */
export function printedWhenHere(state: State): State {
  const waits = state.inline?.printing;
  return waits === undefined || isComing(state, waits.view) ? state : nowPrinted(state);
}

const isComing = (state: State, view: Pane): boolean =>
  state.connection === "connected" && PANE_DEFINITIONS[view].isLoading?.(state) === true;

function nowPrinted(state: State): State {
  const { inline, columns } = state;
  if (inline?.printing === undefined) return state;
  const { view, id } = inline.printing;
  const rows = PANE_DEFINITIONS[view].rows(state, Math.max(1, columns - 1), VIEW_ROWS);
  const text = rows
    .map(rowText)
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trimEnd(); // what fills a pane is nothing to scroll over
  return withInline(
    { ...state, chat: finishCommand(state.chat, { id, text, failed: false }) },
    { printing: undefined },
  );
}

/** Rows of calls are counted from the first one of the conversation that is shown. */
const shownRow = (text: string, word: string) => (state: State) => {
  const tools = state.chat.items.filter((item) => item.kind === "tool");
  const item = word === "" ? tools.at(-1) : tools[Number(word) - 1];
  if (item === undefined)
    return told(state, text, tools.length === 0 ? "no tool calls yet" : `rows are numbered 1 to ${tools.length}`);
  const { result, name, preview } = item;
  const whole = state.chat.whole[item.key] ?? result?.text ?? "(no result yet)";
  const next = { ...state, display: { ...state.display, numbers: true } }; // a user who asks for one row will ask for another
  return told(next, text, [`${name} ${preview}`, result?.diff ?? whole].join("\n"));
};

function told(state: State, text: string, answer: string): Updated {
  const [chat, id] = addCommand(state.chat, text);
  return [{ ...state, chat: finishCommand(chat, { id, text: answer, failed: false }) }, []];
}
