import { hintAt } from "../bars/hints.js";
import { tabAt } from "../bars/tabs.js";
import { boxOf, composerHeight, seenRows } from "../composer/box.js";
import { placeAt } from "../composer/rows.js";
import { contains, type Rect } from "../draw/canvas.js";
import { PANE_DEFINITIONS } from "../index.gen.js";
import { layoutOf, type PaneBox } from "../layout/layout.js";
import { focusOn } from "../model/focus.js";
import { dismissError, type State, type Updated } from "../model/state.js";
import type { Input } from "../terminal/decode.js";
import type { Selection } from "../terminal/terminal-state.js";
import { pressedBelow, wheeledBelow } from "./below.js";
import { pressedOver, wheeledOver } from "./overlay.js";
import { selectedText, wordAt } from "./selection.js";

type Mouse = Extract<Input, { type: "mouse" }>;

const WHEEL_STEPS = 3;
const AGAIN_MS = 400;
const MOTION = 32;
const WHEEL = 64;

/** What the mouse does: the wheel scrolls what is under it, a click focuses, dragging selects within one pane and copies. */
export function handleMouse(state: State, mouse: Mouse): Updated | undefined {
  if (!state.display.mouse) return undefined;
  const { code } = mouse;
  if (state.overlay !== undefined) return overOverlay(state, mouse);
  if (code & WHEEL) return wheeled(state, mouse, (code & 1) === 0 ? "up" : "down");
  if ((code & 3) !== 0) return undefined; // the other buttons are the terminal's
  if (mouse.up) return released(state);
  return code & MOTION ? moved(state, mouse) : pressed(state, mouse);
}

/** Nothing under an overlay is reached, and nothing is selected in it. */
function overOverlay(state: State, mouse: Mouse): Updated | undefined {
  const { code } = mouse;
  if (code & WHEEL) return wheeledOver(state, (code & 1) === 0 ? -WHEEL_STEPS : WHEEL_STEPS);
  if ((code & 3) !== 0 || mouse.up || code & MOTION) return undefined;
  return pressedHint(cleared(state), mouse) ?? pressedOver(cleared(state), mouse);
}

/** A key that the row of hints shows is pressed by pressing its hint; undefined: no hint there. */
function pressedHint(state: State, at: Mouse): Updated | undefined {
  return layoutOf(state).hints === at.y ? hintAt(state, state.columns, at.x)?.act(dismissError(state)) : undefined;
}

const paneAt = (state: State, at: Mouse): PaneBox | undefined =>
  layoutOf(state).panes.find(({ box }) => contains(box, at));

function wheeled(state: State, at: Mouse, step: "up" | "down"): Updated | undefined {
  const by = step === "up" ? -WHEEL_STEPS : WHEEL_STEPS;
  const below = wheeledBelow(state, at, by);
  if (below !== undefined) return below;
  const pane = paneAt(state, at);
  if (pane === undefined) return undefined;
  const kind = PANE_DEFINITIONS[pane.pane];
  const { x, y, width, height } = pane.inside;
  let next = cleared(state);
  if (kind.wheel !== undefined) next = kind.wheel(next, by, { x: at.x - x, y: at.y - y, width, height, times: 1 });
  else for (let steps = 0; steps < WHEEL_STEPS; steps++) next = kind.move(next, step);
  return [next, kind.wants?.(state, next) ?? []];
}

const cleared = (state: State): State => ({ ...state, terminal: { ...state.terminal, selection: undefined } });

function pressed(state: State, at: Mouse): Updated | undefined {
  const layout = layoutOf(state);
  const times = timesOf(state, at);
  const next = noted(cleared(state), at, times);
  const below = pressedHint(next, at) ?? pressedBelow(next, at, times);
  if (below !== undefined) return below;
  const tab = layout.tabs === at.y ? tabAt(state, at.x) : undefined;
  if (tab !== undefined) return [focusOn(next, tab), []];
  if (contains(layout.composer, at)) return [clickedText(focusOn(next, "composer"), layout.composer, at), []];
  const pane = paneAt(state, at);
  return pane === undefined ? [next, []] : pressedIn(next, pane, at, times);
}

const PROMPT = 2; // cells before the text

/** The cursor goes where the press was; behind the end of a row it is at that end. */
function clickedText(state: State, { x, y }: Rect, at: Mouse): State {
  const { composer } = state;
  const box = boxOf(state);
  const row = seenRows(box, composer, composerHeight(state)).rows[at.y - y];
  if (row === undefined) return state;
  const cursor = placeAt(box, row, Math.max(0, at.x - x - PROMPT));
  return { ...state, composer: { ...composer, editor: { ...composer.editor, cursor }, column: undefined } };
}

/** How often it was pressed there one after the other. */
function timesOf({ terminal, now }: State, { x, y }: Mouse): number {
  const { press } = terminal;
  const again = press !== undefined && press.x === x && press.y === y && now - press.at < AGAIN_MS;
  return again ? (press.times % 3) + 1 : 1;
}

const noted = (state: State, { x, y }: Mouse, times: number): State => ({
  ...state,
  terminal: { ...state.terminal, press: { x, y, at: state.now, times } },
});

function pressedIn(state: State, pane: PaneBox, at: Mouse, times: number): Updated {
  const inside = { x: at.x - pane.inside.x, y: at.y - pane.inside.y };
  const selection = contains(pane.room, at) ? selectionAt(state, pane, cellIn(pane, at), times) : undefined;
  const focused = focusOn(state, pane.pane);
  const next = { ...focused, terminal: { ...state.terminal, selection } };
  return (
    PANE_DEFINITIONS[pane.pane].click?.(next, {
      ...inside,
      width: pane.inside.width,
      height: pane.inside.height,
      times,
    }) ?? [next, []]
  );
}

/** A word with the second press, a line with the third; nothing yet with the first. */
function selectionAt(
  state: State,
  { pane, inside }: PaneBox,
  at: { x: number; y: number },
  times: number,
): Selection | undefined {
  if (times === 1) return undefined;
  if (times === 3) return { pane, from: { x: 0, y: at.y }, to: { x: inside.width - 1, y: at.y } };
  const word = wordAt(state, pane, inside, at);
  return word && { pane, from: { x: word.from, y: at.y }, to: { x: word.to, y: at.y } };
}

function moved(state: State, at: Mouse): Updated | undefined {
  const { press, selection } = state.terminal;
  if (press === undefined) return undefined;
  const pane = paneAt(state, { ...at, x: press.x, y: press.y });
  if (pane === undefined || !contains(pane.room, press)) return undefined;
  const to = cellIn(pane, at);
  const from = selection?.from ?? cellIn(pane, press);
  return [{ ...state, terminal: { ...state.terminal, selection: { pane: pane.pane, from, to } } }, []];
}

/** The cell of a pane's text at a place, or next to it: in its margin, or beside the pane. */
function cellIn({ inside }: PaneBox, at: { readonly x: number; readonly y: number }): { x: number; y: number } {
  const clamp = (value: number, most: number) => Math.min(Math.max(0, value), most - 1);
  return { x: clamp(at.x - inside.x, inside.width), y: clamp(at.y - inside.y, inside.height) };
}

function released(state: State): Updated | undefined {
  const { selection } = state.terminal;
  const pane = selection && layoutOf(state).panes.find((one) => one.pane === selection.pane);
  if (!pane) return undefined;
  const text = selectedText(state, pane.inside, selection);
  return text === "" ? [cleared(state), []] : [state, [{ do: "copy", text }]];
}
