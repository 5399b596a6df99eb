import type { Binding, State, Updated } from "../model/state.js";
import { refreshed, unoffered } from "./completion/ask.js";
import { COMPLETION_KEYS } from "./completion/keys.js";
import { type Editor, insert, type MOVES, redo, replace, undo, yank } from "./editor.js";
import { enter, sendAs } from "./enter.js";
import { openEditor } from "./external.js";
import { searchHistory } from "./history.js";
import { grabbing } from "./paste.js";
import { withoutEditing } from "./queue/items.js";
import { QUEUE_KEYS } from "./queue/keys.js";
import { edited, eraseText, moved } from "./update.js";

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
  ["move.textStart", ["ctrl+home"], "start of the text", "textStart"],
  ["move.textEnd", ["ctrl+end"], "end of the text", "textEnd"],
];

const ERASE_KEYS: readonly Row[] = [
  ["erase.left", ["backspace", "ctrl+h", "shift+backspace"], "delete backward", "left"],
  ["erase.right", ["delete"], "delete", "right"],
  ["erase.part", ["ctrl+w"], "delete back to whitespace", "partLeft"],
  ["erase.wordLeft", ["alt+backspace", "ctrl+backspace"], "delete word backward", "wordLeft"],
  ["erase.wordRight", ["alt+d"], "delete word", "wordRight"],
  ["erase.lineStart", ["ctrl+u"], "delete to line start", "lineStart"],
  ["erase.lineEnd", ["ctrl+k"], "delete to line end", "lineEnd"],
];

/** Only these two are not worth keeping: they delete one character. */
const keeps = (step: keyof typeof MOVES): boolean => step !== "left" && step !== "right";

const key = (id: string, keys: readonly string[], label: string, act: (state: State) => Updated): Binding => ({
  id,
  context: "composer",
  keys,
  label,
  act,
});

const edit = (id: string, keys: readonly string[], label: string, change: (editor: Editor) => Editor): Binding =>
  key(id, keys, label, (state) => refreshed(edited(state, change(state.composer.editor))));

/** A backslash before Enter is a new line in its place. */
function entered(state: State): Updated {
  const { editor } = state.composer;
  const escaped = editor.text[editor.cursor - 1] === "\\" && state.composer.completion.at < 0;
  return escaped ? [edited(state, replace(editor, editor.cursor - 1, editor.cursor, "\n")), []] : enter(state);
}

/** Keys of the composer (workspace part, 4.1). */
export const COMPOSER_KEYS: readonly Binding[] = [
  ...COMPLETION_KEYS,
  key("send", ["enter"], "send", entered),
  edit("newline", ["alt+enter", "ctrl+j", "shift+enter", "ctrl+enter"], "new line", (editor) => insert(editor, "\n")),
  key("steer", ["alt+s"], "steer the running turn", (state) => sendAs(state, "steer")),
  key("sendNow", ["alt+i"], "interrupt and send", (state) => sendAs(state, "interrupt")),
  ...MOVE_KEYS.map(([id, keys, label, step]) => key(id, keys, label, (state) => [unoffered(moved(state, step)), []])),
  ...ERASE_KEYS.map(([id, keys, label, step]) =>
    key(id, keys, label, (state) => refreshed(eraseText(state, step, keeps(step)))),
  ),
  edit("yank", ["ctrl+y"], "paste the deleted text", yank),
  edit("undo", ["ctrl+_"], "undo", undo),
  edit("redo", ["alt+_"], "redo", redo),
  key("history", ["ctrl+r"], "search the history", searchHistory),
  key("editor", ["ctrl+g"], "edit in your editor", openEditor),
  key("image", ["alt+v"], "attach an image", grabbing),
  {
    id: "edit.leave",
    context: "editing",
    keys: ["escape"],
    label: "cancel editing the queued message",
    hint: "Esc cancel",
    act: (state) => [withoutEditing(state), []],
  },
  ...QUEUE_KEYS,
];
