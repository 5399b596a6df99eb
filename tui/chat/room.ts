import { replaceAll } from "../composer/editor.js";
import type { Message } from "../messages.js";
import { leaving } from "../overlays/quit/update.js";
import type { Room, State, Updated } from "../state.js";
import type { ChatItem, ChatState } from "./state.js";
import { answered, chatEvent, sofar } from "./update.js";

/** The conversation in its pane. */
export const CHAT_ROOM: Room = {
  update: (state, message) => {
    if (message.type === "next") return wanted(state, message.next);
    const chat = changed(state, message);
    return chat === undefined ? undefined : [{ ...state, chat }, []];
  },
};

function changed(state: State, message: Message): ChatState | undefined {
  const { chat } = state;
  switch (message.type) {
    case "session":
      return { ...chat, items: withCommands(message.items, chat) };
    case "history":
      return { ...chat, items: withCommands(message.items, chat), streaming: "" };
    case "chat":
      return chatEvent(state, message.event, message.data);
    case "command":
      return answered(chat, message);
    case "following":
      return { ...chat, following: message.id };
    case "followed":
      return chat.following === message.id ? { ...chat, following: undefined } : chat;
    case "view":
      return sofar(chat, message.view);
    default:
      return undefined;
  }
}

/** The conversation as it was read anew, and behind it the commands of this screen: no record has them. */
const withCommands = (items: readonly ChatItem[], { items: before }: ChatState): readonly ChatItem[] => [
  ...items,
  ...before.filter((item) => item.kind === "command"),
];

/** What a command asks of the screen: a text in the composer, the end. Another conversation is opened by whoever feeds it. */
function wanted(state: State, { compose, quit, gone }: Extract<Message, { type: "next" }>["next"]): Updated {
  if (quit === true) return leaving(gone === true ? { ...state, session: { ...state.session, id: undefined } } : state);
  const { composer } = state;
  if (compose === undefined || composer.editor.text !== "") return [state, []];
  return [{ ...state, composer: { ...composer, editor: replaceAll(composer.editor, compose) } }, []];
}
