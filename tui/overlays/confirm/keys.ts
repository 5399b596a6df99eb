import type { Binding, State, Updated } from "../../model/state.js";
import { roomOf } from "../overlay-size.js";
import { lastTop } from "./parts.js";
import type { ConfirmOverlay } from "./state.js";

const PAGE = 5;

const inside =
  (change: (state: State, overlay: ConfirmOverlay) => Updated) =>
  (state: State): Updated =>
    state.overlay?.kind === "confirm" ? change(state, state.overlay) : [state, []];

const stepped = (by: number) =>
  inside((state, overlay) => {
    const { choices, at } = overlay;
    return [{ ...state, overlay: { ...overlay, at: (at + by + choices.length) % Math.max(1, choices.length) } }, []];
  });

export const scrolled = (by: number) =>
  inside((state, overlay) => {
    const last = lastTop(overlay, roomOf(state));
    const top = Math.max(0, Math.min(last, Math.min(overlay.top ?? 0, last) + by));
    return [{ ...state, overlay: { ...overlay, top } }, []];
  });

/** A press on a choice takes it. */
export const pressed = (at: number) => inside((state, overlay) => taken(state, overlay, at));

/** Close, and notify the asker. */
function taken(state: State, overlay: ConfirmOverlay, at: number): Updated {
  const choice = overlay.choices[at];
  if (choice === undefined) return [state, []];
  const message = { type: "confirmed", asker: overlay.asker, choice: choice.name, subject: overlay.subject } as const;
  return [{ ...state, overlay: undefined }, [{ do: "tell", message }]];
}

/** The letter of a choice as it is written, or a digit. What does not name a choice does nothing. Pasted text does not count as an answer. */
export function typedIn(state: State, overlay: ConfirmOverlay, text: string, pasted: boolean): Updated {
  if (pasted) return [state, []];
  const { choices } = overlay;
  const [first = ""] = text;
  const same = choices.findIndex(({ key }) => key === first);
  const loose = choices.flatMap(({ key }, at) => (key.toLowerCase() === first.toLowerCase() ? [at] : []));
  const at = same >= 0 ? same : loose.length === 1 ? (loose[0] ?? -1) : Number.parseInt(first, 10) - 1;
  return taken(state, overlay, at);
}

export const CONFIRM_KEYS: readonly Binding[] = [
  {
    id: "confirm.take",
    context: "confirm",
    keys: ["enter"],
    label: "confirm the marked choice",
    hint: "Enter confirm",
    act: inside((state, overlay) => taken(state, overlay, overlay.at)),
  },
  {
    id: "confirm.next",
    context: "confirm",
    keys: ["right", "down", "tab"],
    label: "next choice",
    hint: "→ next",
    act: stepped(1),
  },
  {
    id: "confirm.prev",
    context: "confirm",
    keys: ["left", "up", "shift+tab"],
    label: "previous choice",
    act: stepped(-1),
  },
  { id: "confirm.pageDown", context: "confirm", keys: ["pagedown"], label: "scroll down", act: scrolled(PAGE) },
  { id: "confirm.pageUp", context: "confirm", keys: ["pageup"], label: "scroll up", act: scrolled(-PAGE) },
];
