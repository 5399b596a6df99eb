import type { Binding } from "../../model/state.js";
import { editKeys } from "../../overlays/edit-keys.js";
import { escaped } from "../acts.js";
import { editedField, enteredForm, fieldAt, marks, movedField, movedMark, shownForm } from "./acts.js";

/** Keys of a form: between its fields, among options, and in the text of a field. */
export const FORM_KEYS: readonly Binding[] = [
  {
    id: "fields.enter",
    context: "fields",
    keys: ["enter"],
    label: "next field; confirm the marked answer",
    hint: "Enter next",
    act: enteredForm,
  },
  {
    id: "fields.next",
    context: "fields",
    keys: ["tab", "down"],
    label: "next field",
    hint: "Tab next",
    act: movedField(1),
  },
  { id: "fields.previous", context: "fields", keys: ["shift+tab", "up"], label: "previous field", act: movedField(-1) },
  {
    id: "fields.optionRight",
    context: "fields",
    keys: ["right"],
    label: "next option",
    when: marks,
    act: movedMark(1),
  },
  {
    id: "fields.optionLeft",
    context: "fields",
    keys: ["left"],
    label: "previous option",
    when: marks,
    act: movedMark(-1),
  },
  {
    id: "fields.leave",
    context: "fields",
    keys: ["escape"],
    label: "back to the composer",
    hint: "Esc back",
    act: escaped,
  },
  ...editKeys("fields", editedField).map(
    (one): Binding => ({
      ...one,
      when: (state) => !marks(state) && fieldAt(shownForm(state)) !== undefined,
    }),
  ),
];
