import type { Room } from "../state.js";

const LOG_ROWS = 5_000;

export const LOGS_ROOM: Room = {
  update: (state, message) =>
    message.type === "log"
      ? [{ ...state, logs: { ...state.logs, rows: [...state.logs.rows, ...message.rows].slice(-LOG_ROWS) } }, []]
      : undefined,
};
