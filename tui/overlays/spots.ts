import type { Editor } from "../composer/editor.js";
import { textCells } from "../draw/width.js";
import type { State, Updated } from "../model/state.js";
import type { Spot } from "./overlay.js";
import { pressedAt } from "./text-box.js";

type Act = (state: State) => Updated;

/** Rows of a list that can be pressed, one below the other. `first`: place in the list of the uppermost one, which stands in row `y`. */
export const listSpots = (
  y: number,
  { first, count }: { readonly first: number; readonly count: number },
  act: (at: number) => Act,
): Spot[] => Array.from({ length: Math.max(0, count) }, (_, row) => ({ y: y + row, act: act(first + row) }));

/**
 * Answers that stand at the end of wrapped text, as `[k]eep`. The last place of each is meant: what is asked about may hold the same words.
 * @param y row of the first line
 */
export function wordSpots(
  y: number,
  lines: readonly string[],
  answers: readonly (readonly [word: string, act: Act])[],
): Spot[] {
  return answers.flatMap(([word, act]): Spot[] => {
    const row = lines.findLastIndex((line) => line.includes(word));
    const line = lines[row];
    if (line === undefined) return [];
    const from = textCells(line.slice(0, line.lastIndexOf(word)));
    return [{ y: y + row, from, to: from + textCells(word), act }];
  });
}

/** A line of input: a press places its cursor. `from`: its first cell. */
export const lineSpot = (
  { from, width, y = 0 }: { readonly from: number; readonly width: number; readonly y?: number },
  editor: Editor,
  edit: (state: State, change: (editor: Editor) => Editor) => Updated,
): Spot => ({
  y,
  act: (state, x) => edit(state, (now) => ({ ...now, cursor: pressedAt(editor, width, Math.max(0, x - from)) })),
});
