import { keyLabel } from "../../lib/contracts/ui/screen-keys.js";
import { textCells, truncateToWidth } from "../draw/width.js";
import { bindingFor } from "../model/keys.js";
import type { State, Updated } from "../model/state.js";
import type { ProfilePlace } from "./place.js";

/** Keys stand between dots; what the palette takes, between wider gaps. */
const BETWEEN = /( · | {2})/;
const FIRST_LETTERS = /^[>@#~%]$/;

/** The most useful keys as they stand in the lower edge, and the column where they begin. */
export function footOf({
  drawn,
  box,
}: Pick<ProfilePlace, "drawn" | "box">): { readonly text: string; readonly x: number } | undefined {
  if (drawn.foot === undefined || drawn.foot === "") return undefined;
  const text = truncateToWidth(` ${drawn.foot} `, Math.max(0, box.width - 4));
  return { text, x: box.x + box.width - 2 - textCells(text) };
}

/** A press on one of them does what the key does; undefined: no key stands there. */
export function pressedFoot(state: State, place: ProfilePlace, x: number): Updated | undefined {
  const foot = footOf(place);
  const said = foot && partAt(foot.text, x - foot.x);
  if (said === undefined) return undefined;
  const [label = ""] = said.trim().split(" ");
  const { context } = place.kind;
  const binding = state.keymap.find(
    (one) =>
      (one.context === context || one.context === "dialog") &&
      one.keys.some((key) => keyLabel(key) === label && bindingFor(state, key, [context, "dialog"]) === one),
  );
  if (binding !== undefined) return binding.act(state);
  return FIRST_LETTERS.test(label) ? place.kind.typed(label, false) : undefined;
}

/** The part between two dots that holds this cell. */
function partAt(text: string, cell: number): string | undefined {
  let from = 0;
  for (const part of text.split(BETWEEN)) {
    const to = from + textCells(part);
    if (cell >= from && cell < to) return BETWEEN.test(part) ? undefined : part;
    from = to;
  }
  return undefined;
}
