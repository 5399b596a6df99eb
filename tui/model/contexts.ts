import { isAsking, isOpen } from "../composer/completion/ask.js";
import { isVoiceBusy } from "../voice/update.js";
import type { Context, State } from "./state.js";

/** Contexts whose keys act where the focus is, the most particular first. */
export function activeContexts(state: State): readonly Context[] {
  return isVoiceBusy(state) ? ["voice", ...focusedContexts(state)] : focusedContexts(state);
}

function focusedContexts(state: State): readonly Context[] {
  const { focus, queue, composer } = state;
  if (focus !== "composer") return [focus, "list", "everywhere"];
  if (queue.focused) return ["queue", "everywhere"];
  const completion: readonly Context[] = isOpen(state) || isAsking(state) ? ["completion"] : [];
  const editing: readonly Context[] = composer.editing === undefined ? [] : ["editing"];
  return [...completion, ...editing, "composer", "everywhere"];
}

/** Actions that need panes. Line mode does not have any: the terminal itself scrolls. */
export const OF_PANES = /^(pane|focus|list|zoom|layout|mouse)\b/;

/** Letters go into the text. */
export const typesHere = ({ focus, queue }: State): boolean => focus === "composer" && !queue.focused;
