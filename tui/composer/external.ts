import { type State, showMessage, type Updated } from "../model/state.js";
import { expandChips } from "./chip.js";
import { MAX_TEXT, replaceAll } from "./editor.js";
import { cleaned, edited, TOO_LONG } from "./update.js";

const TO = "composer.editor";

/** Write on in the user's own editor. What was pasted is there in full. */
export function openEditor(state: State): Updated {
  const { editor, chips, program } = state.composer;
  return [
    state,
    [{ do: "hand", argv: program, file: { text: expandChips(editor.text, chips), ending: ".md" }, to: TO }],
  ];
}

/** The text comes back where the editor has ended well; otherwise everything stays. */
export function written(
  state: State,
  told: { readonly to: string; readonly status: number | undefined; readonly text?: string; readonly error?: string },
): State {
  if (told.to !== TO) return state;
  if (told.status !== 0 || told.text === undefined)
    return showMessage(
      state,
      told.error ??
        `The editor exited with ${told.status === undefined ? "an error" : `status ${told.status}`}; your text is unchanged.`,
      true,
    );
  const text = cleaned(told.text.replace(/\r\n?/g, "\n")).replace(/\n$/, "");
  return text.length > MAX_TEXT
    ? showMessage(state, TOO_LONG, true)
    : edited(state, replaceAll(state.composer.editor, text));
}
