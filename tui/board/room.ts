import type { Room } from "../state.js";

export const BOARD_ROOM: Room = {
  update: (state, message) => {
    if (message.type !== "board") return undefined;
    const board = { ...state.board, slug: message.slug, tasks: message.board };
    return [{ ...state, board, runs: { ...state.runs, rows: message.runs } }, []];
  },
};
