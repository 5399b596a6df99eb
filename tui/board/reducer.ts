import type { Reducer } from "../model/state.js";
import { applyAnswer } from "./answers.js";
import { applyFeed } from "./feed-reducer.js";

export const boardReducer: Reducer = (state, message) => {
  switch (message.type) {
    case "board.read":
    case "board.page":
    case "board.changed":
    case "board.failed":
    case "board.severities": {
      return applyFeed(state, message);
    }
    case "called":
    case "confirmed":
    case "picked":
    case "filled":
      return applyAnswer(state, message);
    default:
      return undefined;
  }
};
