import type { Room } from "../state.js";
import { queued, sendFirst, sent } from "./queue.js";

/** What waits to be sent. What was typed while nobody listened is sent once, in order. */
export const QUEUE_ROOM: Room = {
  update: (state, message) => {
    switch (message.type) {
      case "session":
        return sendFirst(state);
      case "connection":
        return message.state === "connected" ? sendFirst(state) : undefined;
      case "sent":
        return sent(state, message.ok);
      case "chat":
        return message.event === "queue.changed" ? [{ ...state, queue: queued(state.queue, message.data) }, []] : undefined;
      case "view": {
        const { queue } = message.view;
        if (typeof queue !== "object" || queue === null) return undefined;
        return [{ ...state, queue: queued(state.queue, { ...queue }) }, []];
      }
      default:
        return undefined;
    }
  },
};
