import { keyLabel } from "../../lib/contracts/ui/screen-keys.js";
import type { RowOf } from "../draw/canvas.js";
import { THEME } from "../draw/theme.js";
import { textCells, truncateToWidth } from "../draw/width.js";
import { contextsOf } from "../model/input.js";
import { bindingFor } from "../model/keys.js";
import type { Binding, Context, State } from "../model/state.js";
import { questionContexts } from "../questions/update.js";

const MOST = 8; // workspace part, 8
const BETWEEN = "  ";
const LEAST_SAID = 20;

interface Hint {
  readonly text: string;
  readonly binding: Binding;
}

/** The most useful keys of what has the keys now; a message for the user stands at the right. */
export function hintRow(state: State, width: number): RowOf {
  const { said, room } = placeFor(state, width);
  const left = ` ${fitting(hintsOf(state), room)
    .map(({ text }) => text)
    .join(BETWEEN)}`;
  if (said === undefined) return [[THEME.dim, left]];
  return [
    [THEME.dim, left.slice(0, room + 2).padEnd(room + 2)],
    [state.message?.error ? THEME.error : THEME.warn, ` ${said}`],
  ];
}

/** What is said to the user, alone; undefined: nothing. */
export function messageRow({ message }: State, width: number): RowOf | undefined {
  return message && [[message.error ? THEME.error : THEME.warn, truncateToWidth(` ${message.text}`, width)]];
}

/** The key whose hint stands at this cell of the row; undefined: none. */
export function hintAt(state: State, width: number, x: number): Binding | undefined {
  let from = 1;
  for (const { text, binding } of fitting(hintsOf(state), placeFor(state, width).room)) {
    const to = from + textCells(text);
    if (x >= from && x < to) return binding;
    from = to + BETWEEN.length;
  }
  return undefined;
}

/** What is said at the right, and the cells that it leaves for hints. */
function placeFor({ message, keyProblems }: State, width: number): { readonly said?: string; readonly room: number } {
  const text = message?.text ?? problemsLine(keyProblems);
  if (text === undefined) return { room: width - 1 };
  const said = truncateToWidth(text, Math.max(Math.min(LEAST_SAID, width - 2), width - 2));
  return { said, room: Math.max(0, width - textCells(said) - 3) - 1 };
}

/** It stays until the help has shown them. */
function problemsLine([first, ...more]: readonly string[]): string | undefined {
  if (first === undefined || more.length === 0) return first;
  return `keys.yaml: ${more.length + 1} problems, F1 shows them`;
}

/** As many as fit whole. */
function fitting(hints: readonly Hint[], width: number): readonly Hint[] {
  let cells = -BETWEEN.length;
  const past = hints.findIndex(({ text }) => {
    cells += BETWEEN.length + textCells(text);
    return cells > width;
  });
  return past < 0 ? hints : hints.slice(0, past);
}

/** Of the most particular context first. A key that means something else here is not told. */
function hintsOf(state: State): readonly Hint[] {
  const panel = state.overlay === undefined ? questionContexts(state) : undefined;
  const contexts: readonly Context[] = [...(panel ?? []), ...contextsOf(state)];
  const hints = new Map<string, Binding>();
  for (const context of contexts) {
    for (const one of state.keymap) {
      if (hints.size === MOST) return listed(hints);
      if (one.context !== context || one.hint === undefined) continue;
      if (one.keys.some((key) => bindingFor(state, key, contexts) === one)) {
        const text = hintOf(state, one);
        if (!hints.has(text)) hints.set(text, one);
      }
    }
  }
  return listed(hints);
}

const listed = (hints: ReadonlyMap<string, Binding>): readonly Hint[] =>
  [...hints].map(([text, binding]) => ({ text, binding }));

/** The user's own key takes the place of the one that it came with. */
function hintOf({ changedKeys }: State, { id, keys: [key = ""], hint = "" }: Binding): string {
  return changedKeys.has(id) ? hint.replace(/^\S+/, keyLabel(key)) : hint;
}
