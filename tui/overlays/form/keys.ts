import { insert, move } from "../../composer/editor.js";
import type { Binding, State, Updated } from "../../model/state.js";
import { editKeys } from "../edit-keys.js";
import { choicesOf } from "./choices.js";
import type { FormOverlay } from "./state.js";
import { complete, editField, goTo, inForm, markChoice, submitted, unmark } from "./update.js";

/** In several lines to the next one, in a list to the next choice, else to the next field. */
function vertical(state: State, overlay: FormOverlay, by: 1 | -1): Updated {
  const field = overlay.fields[overlay.at];
  if (field?.kind === "choice" && (field.choices?.length ?? 0) > 0) return markChoice(state, overlay, by);
  if (field?.kind === "words" && choicesOf(field).length > 0 && (by > 0 || field.marked !== undefined))
    return field.marked === 0 && by < 0 ? unmark(state, overlay) : markChoice(state, overlay, by);
  if (field?.kind === "text") {
    const moved = move(field.editor, by < 0 ? "up" : "down");
    if (moved.cursor !== field.editor.cursor) return editField(state, () => moved);
  }
  return goTo(state, overlay, overlay.at + by);
}

/** The button is pressed, a marked completion is taken, several lines get a new one, anything else goes to the next field. */
function entered(state: State, overlay: FormOverlay): Updated {
  if (overlay.at >= overlay.fields.length) return submitted(state, overlay);
  if (overlay.fields[overlay.at]?.kind === "text") return editField(state, (editor) => insert(editor, "\n"));
  if (overlay.fields[overlay.at]?.marked !== undefined && overlay.fields[overlay.at]?.kind === "words")
    return complete(state, overlay);
  return overlay.fields.length === 1 ? submitted(state, overlay) : goTo(state, overlay, overlay.at + 1);
}

export const FORM_KEYS: readonly Binding[] = [
  {
    id: "form.enter",
    context: "form",
    keys: ["enter"],
    label: "next field, new line, press the button",
    hint: "Enter next",
    act: inForm(entered),
  },
  {
    id: "form.newline",
    context: "form",
    keys: ["ctrl+j", "shift+enter"],
    label: "new line",
    act: (state) => newLine(state),
  },
  {
    id: "form.submit",
    context: "form",
    keys: ["ctrl+enter", "alt+enter"],
    label: "press the button",
    hint: "^Enter done",
    act: inForm(submitted),
  },
  {
    id: "form.next",
    context: "form",
    keys: ["tab"],
    label: "next field",
    hint: "Tab next field",
    act: inForm((state, overlay) => goTo(state, overlay, overlay.at + 1)),
  },
  {
    id: "form.prev",
    context: "form",
    keys: ["shift+tab"],
    label: "previous field",
    act: inForm((state, overlay) => goTo(state, overlay, overlay.at - 1)),
  },
  {
    id: "form.up",
    context: "form",
    keys: ["up"],
    label: "up",
    act: inForm((state, overlay) => vertical(state, overlay, -1)),
  },
  {
    id: "form.down",
    context: "form",
    keys: ["down"],
    label: "down",
    act: inForm((state, overlay) => vertical(state, overlay, 1)),
  },
  ...editKeys("form", editField),
];

const newLine = inForm((state, overlay) =>
  overlay.fields[overlay.at]?.kind === "text" ? editField(state, (editor) => insert(editor, "\n")) : [state, []],
);
