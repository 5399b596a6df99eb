import { BOARDS } from "../board/dialogs/boards.js";
import { lookAt } from "../board/drawer.js";
import type { Room, State, Updated } from "../state.js";

/** Panes show what was found elsewhere. */
export const OPEN_ROOM: Room = {
  update: (state, message) => {
    if (message.type === "open.run") return [{ ...state, focus: "runs", pane: "runs" }, []];
    if (message.type !== "open.task") return undefined;
    const [on, first] = onBoard({ ...state, focus: "board", pane: "board" }, message.board);
    const [next, effects] = lookAt(on, message.task);
    const then = message.next === "" ? [] : [{ do: "tell", message: { type: "act", action: message.next } } as const];
    return [next, [...first, ...effects, ...then]];
  },
};

const onBoard = (state: State, slug: string): Updated =>
  slug === state.board.slug ? [state, []] : (BOARDS.picked?.(state, slug, {}) ?? [state, []]);
