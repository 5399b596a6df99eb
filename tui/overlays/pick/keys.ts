import { splitGraphemes } from "../../draw/width.js";
import { type Binding, type State, showMessage, type Updated } from "../../model/state.js";
import { matches } from "./matches.js";
import type { PickOverlay } from "./state.js";

const PAGE = 10;
const MAX_FILTER = 64;

const inside =
  (change: (state: State, overlay: PickOverlay) => Updated) =>
  (state: State): Updated =>
    state.overlay?.kind === "pick" ? change(state, state.overlay) : [state, []];

const moved = (to: (at: number, last: number) => number) =>
  inside((state, overlay) => {
    const last = Math.max(0, matches(overlay).length - 1);
    const at = Math.max(0, Math.min(last, to(Math.min(overlay.at, last), last)));
    return [{ ...state, overlay: { ...overlay, at } }, []];
  });

/** The best that may be chosen is marked again. */
function filtered(state: State, overlay: PickOverlay, filter: string): Updated {
  const next = { ...overlay, filter: filter.slice(0, MAX_FILTER) };
  const free = matches(next).findIndex(({ item }) => item.refused === undefined);
  return [{ ...state, overlay: { ...next, at: Math.max(0, free) } }, []];
}

export const typedIn = (state: State, overlay: PickOverlay, text: string): Updated =>
  filtered(state, overlay, overlay.filter + text.replace(/[\x00-\x1f\x7f]+/g, " "));

const erased = (back: (filter: string) => string) =>
  inside((state, overlay) => filtered(state, overlay, back(overlay.filter)));

/** What is refused says why, and the list stays. */
const taken = inside((state, overlay) => {
  const found = matches(overlay)[overlay.at]?.item;
  if (found === undefined) return [state, []];
  if (found.refused !== undefined) return [showMessage(state, `${found.label}: ${found.refused}`, true), []];
  const message = { type: "picked", asker: overlay.asker, value: found.value, subject: overlay.subject } as const;
  return [{ ...state, overlay: undefined }, [{ do: "tell", message }]];
});

/** A press on an item chooses it. */
export const pressed = (at: number) => inside((state, overlay) => taken({ ...state, overlay: { ...overlay, at } }));

export const PICK_KEYS: readonly Binding[] = [
  { id: "pick.take", context: "pick", keys: ["enter"], label: "choose", hint: "Enter choose", act: taken },
  { id: "pick.up", context: "pick", keys: ["up", "ctrl+p", "shift+tab"], label: "up", act: moved((at) => at - 1) },
  { id: "pick.down", context: "pick", keys: ["down", "ctrl+n", "tab"], label: "down", act: moved((at) => at + 1) },
  { id: "pick.pageUp", context: "pick", keys: ["pageup"], label: "page up", act: moved((at) => at - PAGE) },
  { id: "pick.pageDown", context: "pick", keys: ["pagedown"], label: "page down", act: moved((at) => at + PAGE) },
  { id: "pick.first", context: "pick", keys: ["home"], label: "first", act: moved(() => 0) },
  { id: "pick.last", context: "pick", keys: ["end"], label: "last", act: moved((_at, last) => last) },
  {
    id: "pick.erase",
    context: "pick",
    keys: ["backspace", "ctrl+h", "shift+backspace"],
    label: "delete backward",
    act: erased((filter) => splitGraphemes(filter).slice(0, -1).join("")),
  },
  {
    id: "pick.eraseWord",
    context: "pick",
    keys: ["ctrl+w", "alt+backspace", "ctrl+backspace"],
    label: "delete word backward",
    act: erased((filter) => filter.replace(/\S*\s*$/, "")),
  },
  {
    id: "pick.clear",
    context: "pick",
    keys: ["ctrl+u"],
    label: "clear the filter",
    hint: "^U all",
    act: erased(() => ""),
  },
];
