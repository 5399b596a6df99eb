import type { PaneKind } from "../model/pane.js";
import { wanted } from "./history.js";
import { moved, turned } from "./move.js";
import { openingRest } from "./opening.js";
import { pressed } from "./press.js";
import { chatRows, chatScroll } from "./view.js";

export const CHAT_PANE: PaneKind = {
  subject: (state) => state.session.title,
  tab: (state) => ({ live: state.session.turnSince !== undefined, unread: state.questions.open.length > 0 }),
  changesIn: openingRest,
  rows: chatRows,
  move: moved,
  wheel: turned,
  click: pressed,
  wants: wanted,
  scroll: chatScroll,
};
