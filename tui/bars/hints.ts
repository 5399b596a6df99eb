import { keyLabel } from "../../lib/proto/screen-keys.js";
import type { RowOf } from "../canvas.js";
import { contextsOf } from "../input.js";
import { bindingFor } from "../keys.js";
import { questionContexts } from "../questions/update.js";
import type { Binding, Context, State } from "../state.js";
import { THEME } from "../theme.js";
import { fit, textCells } from "../width.js";

const MOST = 8; // workspace part, 8
const BETWEEN = "  ";
const LEAST_SAID = 20;

/** The most useful keys of what has the keys now; a message for the user stands at the right. */
export function hintRow(state: State, width: number): RowOf {
  if (!state.message) return [[THEME.dim, ` ${fitting(hintsOf(state), width - 1)}`]];
  const { text, error } = state.message;
  const said = fit(text, Math.max(Math.min(LEAST_SAID, width - 2), width - 2));
  const room = Math.max(0, width - textCells(said) - 3);
  const left = ` ${fitting(hintsOf(state), room - 1)}`;
  return [
    [THEME.dim, left.slice(0, room + 1).padEnd(room + 1)],
    [error ? THEME.error : THEME.warn, ` ${said}`],
  ];
}

/** As many as fit whole. */
function fitting(hints: readonly string[], width: number): string {
  let line = "";
  for (const hint of hints) {
    const next = line === "" ? hint : `${line}${BETWEEN}${hint}`;
    if (textCells(next) > width) break;
    line = next;
  }
  return line;
}

/** Of the most particular context first. A key that means something else here is not told. */
function hintsOf(state: State): readonly string[] {
  const panel = state.overlay === undefined ? questionContexts(state) : undefined;
  const contexts: readonly Context[] = [...(panel ?? []), ...contextsOf(state)];
  const hints = new Set<string>();
  for (const context of contexts) {
    for (const one of state.keymap) {
      if (hints.size === MOST) return [...hints];
      if (one.context !== context || one.hint === undefined) continue;
      if (one.keys.some((key) => bindingFor(state, key, contexts) === one)) hints.add(hintOf(state, one));
    }
  }
  return [...hints];
}

/** The user's own key takes the place of the one that it came with. */
function hintOf({ changedKeys }: State, { id, keys: [key = ""], hint = "" }: Binding): string {
  return changedKeys.has(id) ? hint.replace(/^\S+/, keyLabel(key)) : hint;
}
