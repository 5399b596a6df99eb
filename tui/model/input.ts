import { pasted as pastedIn } from "../composer/paste.js";
import { insertText } from "../composer/update.js";
import { PANE_DEFINITIONS } from "../index.gen.js";
import { openedOverlay } from "../overlays/registry.js";
import { noteKey, questionInput } from "../questions/update.js";
import type { Input, KeyInput } from "../terminal/decode.js";
import { activeContexts, typesHere } from "./contexts.js";
import { bindingFor, keyName } from "./keys.js";
import { openLine, typedInLine } from "./line.js";
import { type Context, dismissError, type State, showMessage, type Updated } from "./state.js";

const HINT_MS = 2_000;

/** Keys and text go to the overlay, else to the open question, else to what has the focus. */
export function input(before: State, given: Input): Updated {
  if (given.type !== "key" && given.type !== "text" && given.type !== "paste") return [before, []];
  const state = dismissError(before);
  const answered = state.overlay === undefined ? questionInput(state, given) : undefined;
  if (answered) return answered;
  const taken = state.overlay === undefined ? paneInput(state, given) : undefined;
  if (taken) return taken;
  const [noted, effects] = noteKey(state);
  const [next, more] = given.type === "key" ? onKey(noted, given) : onText(noted, given.text, given.type === "paste");
  return [next, [...effects, ...more]];
}

/** What the focused pane takes before the key table. */
const paneInput = (state: State, given: Input): Updated | undefined =>
  state.focus === "composer" ? undefined : PANE_DEFINITIONS[state.focus].input?.(state, given);

/** An action of the table by its name, wherever the focus is. */
export function act(state: State, action: string): Updated {
  const found = state.keymap.find((one) => one.id === action);
  return found === undefined ? [showMessage(state, `unknown action ${action}`, true), []] : found.act(state);
}

function onKey(state: State, key: KeyInput): Updated {
  const found = bindingFor(state, keyName(key), contextsOf(state));
  if (found) return found.act(state);
  if (key.ctrl || key.alt || [...key.name].length !== 1) return [state, []];
  return state.overlay !== undefined || typesHere(state) || openLine(state)
    ? onText(state, key.name, false)
    : [hint(state), []];
}

/** Over a pane or an overlay a run of letters is one key after the other; what no key takes is typed. Pasted text is never a key. */
function onText(state: State, text: string, pasted: boolean): Updated {
  const above = openedOverlay(state);
  const line = above === undefined ? openLine(state) : undefined;
  if (line) return typedInLine(line, text);
  if (above === undefined && pasted) return pastedIn(state, text);
  if (above === undefined && typesHere(state)) return insertText(state, text);
  const [first = ""] = text;
  const found = pasted ? undefined : bindingFor(state, first === " " ? "space" : first, contextsOf(state));
  if (found === undefined && above !== undefined) return above.typed(text, pasted);
  const [next, effects] = found?.act(state) ?? [hint(state), []];
  const rest = text.slice(first.length);
  if (rest === "") return [next, effects];
  const [last, more] = input(next, { type: "text", text: rest }); // what the key has opened takes the rest
  return [last, [...effects, ...more]];
}

/** Contexts whose keys act now, the most particular first; a question that is reached has its own before them. */
export function contextsOf(state: State): readonly Context[] {
  const above = openedOverlay(state);
  if (above) return [above.context, "dialog", "everywhere"];
  if (openLine(state)) return ["line", "everywhere"];
  return activeContexts(state);
}

const hint = (state: State): State => showMessage(state, "i or Esc to type", false, HINT_MS);
