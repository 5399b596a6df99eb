import type { Rect } from "../draw/canvas.js";
import type { State } from "../model/state.js";
import type { Drawn } from "./overlay.js";
import { roomOf } from "./overlay-size.js";
import { type BoundOverlay, openedOverlay } from "./registry.js";

/** What stands above the panes, and where. */
export interface ProfilePlace {
  readonly kind: BoundOverlay;
  readonly drawn: Drawn;
  /** Its frame included. */
  readonly box: Rect;
  readonly inside: Rect;
}

/** In the middle of the screen; undefined: nothing stands above the panes. */
export function placeOf(state: State): ProfilePlace | undefined {
  const kind = openedOverlay(state);
  if (kind === undefined) return undefined;
  const most = roomOf(state);
  const drawn = kind.draw(most);
  const width = Math.min(drawn.width, most.width);
  const height = Math.min(drawn.rows.length, most.height);
  const inside = { x: (state.columns - width) >> 1, y: Math.max(1, (state.rows - height) >> 1), width, height };
  return { kind, drawn, inside, box: { x: inside.x - 1, y: inside.y - 1, width: width + 2, height: height + 2 } };
}
