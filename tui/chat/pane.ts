import { definePane } from "../model/define-pane.js";
import { createChatEffects } from "./effects.js";
import { wanted } from "./history.js";
import { CHAT_KEYS } from "./keys.js";
import { moveCursor, scrollBy } from "./move.js";
import { openingRest } from "./opening.js";
import { pressed } from "./press.js";
import { chatReducer } from "./reducer.js";
import { clearSearch, searchInput } from "./search.js";
import { NO_CHAT } from "./state.js";
import { chatRows, chatScroll } from "./view.js";

const LINE_MODE_BLOCK = 40; // workspace part, 17

export default definePane({
  id: "chat",
  title: "chat",
  short: "chat",
  place: 1,
  keys: ["f2", "alt+1"],
  margin: true,
  initial: ({ inline }) => (inline === undefined ? NO_CHAT : { ...NO_CHAT, blockLines: LINE_MODE_BLOCK }),
  reducer: chatReducer,
  effects: createChatEffects,
  bindings: CHAT_KEYS,
  input: searchInput,
  cancel: (state) => (state.chat.search === undefined ? undefined : clearSearch(state)),
  subject: (state) => state.session.title,
  tab: (state) => ({ live: state.session.turnSince !== undefined, unread: state.questions.open.length > 0 }),
  changesIn: openingRest,
  rows: chatRows,
  move: moveCursor,
  wheel: scrollBy,
  click: pressed,
  wants: wanted,
  scroll: chatScroll,
});
