import type { State } from "../model/state.js";
import type { Room } from "./overlay.js";

/** What stays free around an overlay; a small screen has nothing to give away. */
const margins = ({ columns, rows }: State) => ({ x: columns < 60 ? 0 : 2, y: rows < 20 ? 1 : 2 });

/** The most that an overlay may take of this screen. */
export function roomOf(state: State): Room {
  const margin = margins(state);
  return { width: Math.max(1, state.columns - 2 * margin.x - 2), height: Math.max(1, state.rows - 2 * margin.y - 2) };
}
