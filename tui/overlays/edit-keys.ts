import { type Editor, erase, type MOVES, move, undo, yank } from "../composer/editor.js";
import type { Binding, Context, State, Updated } from "../model/state.js";

type Step = keyof typeof MOVES;
type Row = readonly [id: string, keys: readonly string[], label: string, change: (editor: Editor) => Editor];

const moving = (step: Step) => (editor: Editor) => move(editor, step);
const erasing = (step: Step, keep: boolean) => (editor: Editor) => erase(editor, step, keep);

const ROWS: readonly Row[] = [
  ["left", ["left", "ctrl+b"], "left", moving("left")],
  ["right", ["right", "ctrl+f"], "right", moving("right")],
  ["lineStart", ["home", "ctrl+a"], "line start", moving("lineStart")],
  ["lineEnd", ["end", "ctrl+e"], "line end", moving("lineEnd")],
  ["wordLeft", ["alt+b", "ctrl+left"], "word left", moving("wordLeft")],
  ["wordRight", ["alt+f", "ctrl+right"], "word right", moving("wordRight")],
  ["eraseLeft", ["backspace", "ctrl+h", "shift+backspace"], "delete backward", erasing("left", false)],
  ["eraseRight", ["delete", "ctrl+d"], "delete", erasing("right", false)],
  ["eraseWord", ["ctrl+w", "alt+backspace", "ctrl+backspace"], "delete word backward", erasing("wordLeft", true)],
  ["eraseWordRight", ["alt+d"], "delete word", erasing("wordRight", true)],
  ["eraseStart", ["ctrl+u"], "delete to line start", erasing("lineStart", true)],
  ["eraseEnd", ["ctrl+k"], "delete to line end", erasing("lineEnd", true)],
  ["yank", ["ctrl+y"], "paste the deleted text", yank],
  ["undo", ["ctrl+_"], "undo", undo],
];

/** Keys of a line of input that is not the composer's. `except`: keys that mean something else there. */
export const editKeys = (
  context: Context,
  change: (state: State, edit: (editor: Editor) => Editor) => Updated,
  except: readonly string[] = [],
): readonly Binding[] =>
  ROWS.map(([id, keys, label, edit]) => ({
    id: `${context}.${id}`,
    context,
    label,
    keys: keys.filter((key) => !except.includes(key)),
    act: (state: State) => change(state, edit),
  }));
