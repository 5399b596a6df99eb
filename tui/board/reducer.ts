import type { Room } from "../model/state.js";
import { answered } from "./answers.js";
import { fed } from "./feed-reducer.js";

export const BOARD_ROOM: Room = {
  update: (state, message) => {
    switch (message.type) {
      case "board.read":
      case "board.page":
      case "board.changed":
      case "board.failed":
      case "board.severities": {
        return fed(state, message);
      }
      case "called":
      case "confirmed":
      case "picked":
      case "filled":
        return answered(state, message);
      default:
        return undefined;
    }
  },
};
