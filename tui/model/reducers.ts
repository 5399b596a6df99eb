import { statusReducer } from "../bars/reducer.js";
import { composerReducer } from "../composer/reducer.js";
import { grammarReducer } from "../grammar/reducer.js";
import { PANE_DEFINITIONS } from "../index.gen.js";
import { inlineReducer } from "../inline/reducer.js";
import { keymapReducer } from "../keymap/reducer.js";
import { OVERLAY_REDUCERS } from "../overlays/reducers.js";
import { questionsReducer } from "../questions/reducer.js";
import { startReducer } from "../start/reducer.js";
import { terminalReducer } from "../terminal/terminal-reducer.js";
import { voiceReducer } from "../voice/update.js";
import { PANES } from "./panes.gen.js";
import { sessionReducer } from "./session-reducer.js";
import type { Reducer } from "./state.js";

/** Who looks after a part of the state. Every message goes through all of them, in this order. */
export const REDUCERS: readonly Reducer[] = [
  terminalReducer,
  voiceReducer,
  sessionReducer,
  ...PANES.map((pane) => PANE_DEFINITIONS[pane].reducer),
  questionsReducer,
  statusReducer,
  composerReducer,
  ...OVERLAY_REDUCERS,
  keymapReducer,
  startReducer,
  grammarReducer,
  inlineReducer,
];
