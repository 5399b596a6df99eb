import type { KeyInput } from "./decode.js";

export type Context = "everywhere" | "composer" | "list" | "board";

export type Action =
  | "help"
  | "pane.chat"
  | "pane.board"
  | "pane.runs"
  | "pane.logs"
  | "composer"
  | "question"
  | "focus.next"
  | "focus.prev"
  | "zoom"
  | "interrupt"
  | "redraw"
  | "suspend"
  | "quit"
  | "send"
  | "newline"
  | "move.left"
  | "move.right"
  | "move.up"
  | "move.down"
  | "move.lineStart"
  | "move.lineEnd"
  | "move.wordLeft"
  | "move.wordRight"
  | "erase.left"
  | "erase.right"
  | "erase.wordLeft"
  | "erase.wordRight"
  | "erase.lineStart"
  | "erase.lineEnd"
  | "yank"
  | "undo"
  | "up"
  | "down"
  | "page.up"
  | "page.down"
  | "home"
  | "end"
  | "refresh"
  | "column.left"
  | "column.right";

export interface Binding {
  readonly action: Action;
  readonly context: Context;
  readonly keys: readonly string[];
  readonly label: string;
}

/** Every key of the workspace. Dispatch, hints and help are made from it. */
export const BINDINGS: readonly Binding[] = [
  { action: "help", context: "everywhere", keys: ["f1"], label: "help" },
  { action: "pane.chat", context: "everywhere", keys: ["f2", "alt+1"], label: "chat" },
  { action: "pane.board", context: "everywhere", keys: ["f3", "alt+2"], label: "board" },
  { action: "pane.runs", context: "everywhere", keys: ["f4", "alt+3"], label: "runs" },
  { action: "pane.logs", context: "everywhere", keys: ["f5", "alt+4"], label: "logs" },
  { action: "composer", context: "everywhere", keys: ["alt+0"], label: "type" },
  { action: "question", context: "everywhere", keys: ["alt+a"], label: "the open question" },
  { action: "focus.next", context: "everywhere", keys: ["f6", "tab"], label: "next pane" },
  { action: "focus.prev", context: "everywhere", keys: ["shift+f6", "shift+tab"], label: "previous pane" },
  { action: "zoom", context: "everywhere", keys: ["f8", "alt+z"], label: "zoom" },
  { action: "interrupt", context: "everywhere", keys: ["ctrl+c"], label: "interrupt, clear, quit" },
  { action: "redraw", context: "everywhere", keys: ["ctrl+l"], label: "repaint" },
  { action: "suspend", context: "everywhere", keys: ["ctrl+z"], label: "suspend" },
  { action: "quit", context: "composer", keys: ["ctrl+d"], label: "quit when empty, else delete" },
  { action: "send", context: "composer", keys: ["enter"], label: "send" },
  { action: "newline", context: "composer", keys: ["alt+enter", "ctrl+j", "shift+enter", "ctrl+enter"], label: "new line" },
  { action: "move.left", context: "composer", keys: ["left", "ctrl+b"], label: "left" },
  { action: "move.right", context: "composer", keys: ["right", "ctrl+f"], label: "right" },
  { action: "move.up", context: "composer", keys: ["up", "ctrl+p"], label: "up, history" },
  { action: "move.down", context: "composer", keys: ["down", "ctrl+n"], label: "down, history" },
  { action: "move.lineStart", context: "composer", keys: ["home", "ctrl+a"], label: "line start" },
  { action: "move.lineEnd", context: "composer", keys: ["end", "ctrl+e"], label: "line end" },
  { action: "move.wordLeft", context: "composer", keys: ["alt+b", "ctrl+left"], label: "word left" },
  { action: "move.wordRight", context: "composer", keys: ["alt+f", "ctrl+right"], label: "word right" },
  { action: "erase.left", context: "composer", keys: ["backspace", "ctrl+h", "shift+backspace"], label: "delete back" },
  { action: "erase.right", context: "composer", keys: ["delete"], label: "delete" },
  { action: "erase.wordLeft", context: "composer", keys: ["ctrl+w", "alt+backspace", "ctrl+backspace"], label: "delete word back" },
  { action: "erase.wordRight", context: "composer", keys: ["alt+d"], label: "delete word" },
  { action: "erase.lineStart", context: "composer", keys: ["ctrl+u"], label: "delete to the line's start" },
  { action: "erase.lineEnd", context: "composer", keys: ["ctrl+k"], label: "delete to the line's end" },
  { action: "yank", context: "composer", keys: ["ctrl+y"], label: "put back" },
  { action: "undo", context: "composer", keys: ["ctrl+_"], label: "undo" },
  { action: "page.up", context: "composer", keys: ["pageup"], label: "scroll the chat up" },
  { action: "page.down", context: "composer", keys: ["pagedown"], label: "scroll the chat down" },
  { action: "composer", context: "list", keys: ["escape", "i"], label: "type" },
  { action: "help", context: "list", keys: ["?"], label: "help" },
  { action: "up", context: "list", keys: ["up", "k"], label: "up" },
  { action: "down", context: "list", keys: ["down", "j"], label: "down" },
  { action: "page.up", context: "list", keys: ["pageup", "ctrl+u"], label: "page up" },
  { action: "page.down", context: "list", keys: ["pagedown", "ctrl+d"], label: "page down" },
  { action: "home", context: "list", keys: ["home", "g"], label: "first" },
  { action: "end", context: "list", keys: ["end", "G"], label: "last, follow" },
  { action: "refresh", context: "list", keys: ["r"], label: "ask again" },
  { action: "zoom", context: "list", keys: ["z"], label: "zoom" },
  { action: "column.left", context: "board", keys: ["left", "h"], label: "column left" },
  { action: "column.right", context: "board", keys: ["right", "l"], label: "column right" },
];

/** Name of a key as the table spells it: `ctrl+c`, `shift+tab`, `G`. */
export function keyName(input: KeyInput): string {
  return `${input.ctrl ? "ctrl+" : ""}${input.alt ? "alt+" : ""}${input.shift ? "shift+" : ""}${input.name}`;
}

/** What a key means in the contexts that are active, the most particular first. */
export function actionFor(key: string, contexts: readonly Context[]): Action | undefined {
  for (const context of contexts) {
    const binding = BINDINGS.find((one) => one.context === context && one.keys.includes(key));
    if (binding) return binding.action;
  }
  return undefined;
}
