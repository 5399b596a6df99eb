import type { Message } from "../model/messages.js";
import type { Reducer, State, Updated } from "../model/state.js";
import { withCompletions } from "./completion/take.js";
import { claimed, drafted, kept, renamed, switched } from "./drafts.js";
import { written } from "./external.js";
import { chosen, historyTold } from "./history.js";
import { decided, found, kept as keptFile, pictured } from "./paste.js";
import { queued, sendFirst, sent } from "./queue/queue.js";

/** What waits to be sent. What was typed without a connection is sent once, in order. */
export const composerReducer: Reducer = (state, message) => {
  switch (message.type) {
    case "session":
      return then(switched(message.fresh === false ? renamed(state) : state, message.id), sendFirst);
    case "connection":
      return message.state === "connected" ? then(claimed(state), sendFirst) : undefined;
    case "sent":
      return sent(state, message);
    case "chat":
      return [message.event === "queue.changed" ? queued(renamed(state), message.data) : renamed(state), []];
    case "view": {
      const { queue } = message.view;
      return typeof queue === "object" && queue !== null ? [queued(state, { ...queue }), []] : undefined;
    }
    default:
      return composer(state, message);
  }
};

/** One change after the other. */
function then([state, effects]: Updated, next: (state: State) => Updated): Updated {
  const [last, more] = next(state);
  return [last, [...effects, ...more]];
}

/** What concerns the text. */
function composer(state: State, message: Message): Updated | undefined {
  switch (message.type) {
    case "tick":
      return kept(state);
    case "composed":
      return [
        historyTold({ ...state, composer: { ...state.composer, program: message.program } }, message.history),
        [],
      ];
    case "offered":
      return withCompletions(state, message.asked, message);
    case "drafted":
      return [drafted(state, message.session, message.text), []];
    case "file":
      return [message.asked === undefined ? keptFile(state, message) : found(state, message.asked, message), []];
    case "picture":
      return [pictured(state, message), []];
    case "handed":
      return [written(state, message), []];
    case "picked":
      return message.asker === "composer.history" ? [chosen(state, message.value), []] : undefined;
    case "confirmed":
      return message.asker === "composer.paste" ? decided(state, message.choice) : undefined;
    default:
      return undefined;
  }
}
