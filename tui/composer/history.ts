import { sanitizeLine } from "../draw/sanitize.js";
import { type State, showMessage, type Updated } from "../model/state.js";
import { keepFirstRow } from "./box.js";
import { expandChips } from "./chip.js";
import { EMPTY, replaceAll } from "./editor.js";
import type { Draft } from "./state.js";

const SEARCHED = 5_000;
const LABEL = 200;

/** One entry further back or, with -1, further on. What was typed is put aside and comes back at the end. Undefined: no such entry. */
export function older(given: State, by: 1 | -1): State | undefined {
  const { composer: before } = given;
  const changed = before.historyAt >= 0 && before.editor.text !== before.history[before.historyAt];
  const state = changed ? remembering(given, before) : given;
  const { composer } = state;
  const from = before.historyAt + (changed ? 1 : 0);
  const at = Math.max(-1, Math.min(composer.history.length - 1, from + by));
  if (at === from) return undefined;
  const aside = composer.aside ?? { editor: composer.editor, chips: composer.chips };
  if (at < 0)
    return keepFirstRow({
      ...state,
      composer: { ...composer, ...aside, aside: undefined, historyAt: at, column: undefined },
    });
  const text = composer.history[at] ?? "";
  const editor = { ...EMPTY, kill: composer.editor.kill, text, cursor: text.length };
  return keepFirstRow({
    ...state,
    composer: { ...composer, editor, chips: [], aside, historyAt: at, column: undefined },
  });
}

/** A text that can be had back by going up; each one stands there once. */
export function remembering(state: State, { editor, chips }: Draft): State {
  const text = expandChips(editor.text, chips);
  if (text.trim() === "") return state;
  const { composer, display } = state;
  const most = display.historySize;
  return {
    ...state,
    composer: { ...composer, history: [text, ...composer.history.filter((one) => one !== text)].slice(0, most) },
  };
}

/** Choose from what was sent before. */
export function searchHistory(state: State): Updated {
  const { history } = state.composer;
  if (history.length === 0) return [showMessage(state, "no history yet"), []];
  const items = history
    .slice(0, SEARCHED)
    .map((text, at) => ({ value: String(at), label: sanitizeLine(text.slice(0, LABEL)), detail: "" }));
  const overlay = {
    kind: "pick",
    asker: "composer.history",
    title: "history",
    items,
    filter: "",
    at: 0,
    subject: {},
  } as const;
  return [{ ...state, overlay }, []];
}

/** The entry that was chosen stands in the composer; what stood there comes back by undo. */
export function chosen(state: State, value: string): State {
  const { composer } = state;
  const text = composer.history[Number(value)];
  if (text === undefined) return state;
  return keepFirstRow({
    ...state,
    composer: { ...composer, editor: replaceAll(composer.editor, text), historyAt: -1, aside: undefined },
  });
}

/** What the owner has kept goes behind what was sent since this screen began. */
export function historyTold(state: State, told: readonly string[]): State {
  const { composer, display } = state;
  const fresh = new Set(composer.history);
  const history = [...composer.history, ...told.filter((text) => !fresh.has(text))].slice(0, display.historySize);
  return { ...state, composer: { ...composer, history } };
}
