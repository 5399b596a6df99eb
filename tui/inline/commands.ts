import { answered, asked } from "../chat/update.js";
import { PANE_KINDS } from "../panes.js";
import type { State, Updated } from "../state.js";
import { rowText } from "./bytes.js";
import type { InlineState } from "./state.js";

const VIEWS = ["board", "runs", "logs"] as const;
type View = (typeof VIEWS)[number];

const VIEW_ROWS = 40;

/** Commands that line mode answers itself: views that the workspace has as panes, and the whole of a row. */
export function inlineCommand(state: State, text: string): ((state: State) => Updated) | undefined {
  const { inline } = state;
  if (inline === undefined) return undefined;
  const [name = "", word = "", ...more] = text.trim().split(/\s+/);
  const view = VIEWS.find((one) => name === `/${one}`);
  if (view !== undefined && more.length === 0 && (word === "" || word === "watch"))
    return word === "" ? printed(view, text) : watched(view, inline);
  return name === "/show" && more.length === 0 ? shownRow(text, word) : undefined;
}

/** The view as it is now, once. */
const printed = (view: View, text: string) => (state: State) =>
  told(
    state,
    text,
    PANE_KINDS[view]
      .rows(state, Math.max(1, state.columns - 1), VIEW_ROWS)
      .map(rowText)
      .join("\n")
      .trimEnd(),
  );

/** Kept in the live area until Ctrl+C. */
const watched =
  (watch: View, inline: InlineState) =>
  (state: State): Updated => [{ ...state, inline: { ...inline, watch } }, []];

/** Rows of calls are counted from the first one of the conversation that is shown. */
const shownRow = (text: string, word: string) => (state: State) => {
  const tools = state.chat.items.filter((item) => item.kind === "tool");
  const item = word === "" ? tools.at(-1) : tools[Number(word) - 1];
  if (item === undefined) return told(state, text, tools.length === 0 ? "no call was made yet" : `there are rows 1 to ${tools.length}`);
  const { result, name, preview } = item;
  const whole = state.chat.whole[item.key] ?? result?.text ?? "(no result yet)";
  const next = { ...state, display: { ...state.display, numbers: true } }; // whoever asks for one row will ask for another
  return told(next, text, [`${name} ${preview}`, result?.diff ?? whole].join("\n"));
};

function told(state: State, text: string, answer: string): Updated {
  const [chat, id] = asked(state.chat, text);
  return [{ ...state, chat: answered(chat, { id, text: answer, failed: false }) }, []];
}
