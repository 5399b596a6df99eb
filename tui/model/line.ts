import { insert } from "../composer/editor.js";
import { PANE_DEFINITIONS } from "../index.gen.js";
import { editKeys } from "../overlays/edit-keys.js";
import type { PaneLine } from "./define-pane.js";
import type { Binding, State, Updated } from "./state.js";

/** The open line of the focused pane. */
export const openLine = (state: State): PaneLine | undefined =>
  state.focus === "composer" || state.overlay !== undefined ? undefined : PANE_DEFINITIONS[state.focus].line?.(state);

/** Text goes into the open line; new lines become blanks. */
export const typedInLine = (line: PaneLine, text: string): Updated =>
  line.changed(insert(line.editor, text.replace(/[\x00-\x1f\x7f]+/g, " ")));

const onLine =
  (act: (line: PaneLine) => Updated) =>
  (state: State): Updated => {
    const line = openLine(state);
    return line === undefined ? [state, []] : act(line);
  };

/** Keys while a pane's line is open. */
export const LINE_KEYS: readonly Binding[] = [
  {
    id: "line.take",
    context: "line",
    keys: ["enter"],
    label: "apply what was typed",
    hint: "Enter apply",
    act: onLine((line) => line.taken()),
  },
  {
    id: "line.drop",
    context: "line",
    keys: ["escape"],
    label: "cancel",
    hint: "Esc cancel",
    act: onLine((line) => line.dropped()),
  },
  ...editKeys("line", (state, edit) => onLine((line) => line.changed(edit(line.editor)))(state)),
];
