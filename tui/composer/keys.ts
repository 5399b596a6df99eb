import type { Binding, Updated } from "../state.js";
import { insert, type MOVES, undo, yank } from "./editor.js";
import { edited, erased, moved, send } from "./update.js";

type Row = readonly [id: string, keys: readonly string[], label: string, step: keyof typeof MOVES];

const MOVE_KEYS: readonly Row[] = [
  ["move.left", ["left", "ctrl+b"], "left", "left"],
  ["move.right", ["right", "ctrl+f"], "right", "right"],
  ["move.up", ["up"], "up, history", "up"],
  ["move.down", ["down", "ctrl+n"], "down, history", "down"],
  ["move.lineStart", ["home", "ctrl+a"], "line start", "lineStart"],
  ["move.lineEnd", ["end", "ctrl+e"], "line end", "lineEnd"],
  ["move.wordLeft", ["alt+b", "ctrl+left"], "word left", "wordLeft"],
  ["move.wordRight", ["alt+f", "ctrl+right"], "word right", "wordRight"],
];

const ERASE_KEYS: readonly Row[] = [
  ["erase.left", ["backspace", "ctrl+h", "shift+backspace"], "delete back", "left"],
  ["erase.right", ["delete"], "delete", "right"],
  ["erase.wordLeft", ["ctrl+w", "alt+backspace", "ctrl+backspace"], "delete word back", "wordLeft"],
  ["erase.wordRight", ["alt+d"], "delete word", "wordRight"],
  ["erase.lineStart", ["ctrl+u"], "delete to the line's start", "lineStart"],
  ["erase.lineEnd", ["ctrl+k"], "delete to the line's end", "lineEnd"],
];

/** Only these two are not worth keeping: they delete one character. */
const keeps = (step: keyof typeof MOVES): boolean => step !== "left" && step !== "right";

/** Keys of the composer (workspace part, 4.1). */
export const COMPOSER_KEYS: readonly Binding[] = [
  { id: "send", context: "composer", keys: ["enter"], label: "send", act: send },
  {
    id: "newline",
    context: "composer",
    keys: ["alt+enter", "ctrl+j", "shift+enter", "ctrl+enter"],
    label: "new line",
    act: (state) => [edited(state, insert(state.composer.editor, "\n")), []],
  },
  ...MOVE_KEYS.map(
    ([id, keys, label, step]): Binding => ({ id, context: "composer", keys, label, act: (state): Updated => [moved(state, step), []] }),
  ),
  ...ERASE_KEYS.map(
    ([id, keys, label, step]): Binding => ({
      ...{ id, context: "composer", keys, label },
      act: (state): Updated => [erased(state, step, keeps(step)), []],
    }),
  ),
  {
    id: "yank",
    context: "composer",
    keys: ["ctrl+y"],
    label: "put back",
    act: (state) => [edited(state, yank(state.composer.editor)), []],
  },
  { id: "undo", context: "composer", keys: ["ctrl+_"], label: "undo", act: (state) => [edited(state, undo(state.composer.editor)), []] },
];
