import type { Room } from "../state.js";
import { questionEvent, questionList } from "./update.js";

/** Questions of the shown conversation. */
export const QUESTIONS_ROOM: Room = {
  update: (state, message) => {
    if (message.type === "questions") return [questionList(state, message.rows), []];
    return message.type === "chat" ? questionEvent(state, message.event, message.data) : undefined;
  },
};
