import { DISPLAY } from "../app/display.js";
import { NO_STATUS } from "../bars/state.js";
import { NO_QUEUE, NO_TEXT } from "../composer/state.js";
import { initialPanes } from "../index.gen.js";
import { NO_QUESTIONS } from "../questions/state.js";
import { UNKNOWN_TERMINAL } from "../terminal/terminal-state.js";
import { SILENT_VOICE } from "../voice/state.js";
import { NO_SESSION } from "./session.js";
import type { Start, State } from "./state.js";

/** What a screen of this size shows before anything has happened. */
export function initialState(columns: number, rows: number, start: Start): State {
  const { owner, keymap, display = DISPLAY, cwd = "", inline } = start;
  return {
    ...initialPanes(start),
    columns,
    rows,
    focus: "composer",
    pane: "chat",
    zoom: false,
    overlay: undefined,
    below: undefined,
    display,
    keymap,
    changedKeys: new Set(),
    keyProblems: [],
    session: NO_SESSION,
    composer: NO_TEXT,
    queue: NO_QUEUE,
    questions: NO_QUESTIONS,
    status: NO_STATUS,
    inline,
    terminal: UNKNOWN_TERMINAL,
    voice: SILENT_VOICE,
    colours: new Map(),
    start: undefined,
    connection: "connected",
    lostAt: undefined,
    owner,
    cwd,
    message: undefined,
    quitArmed: undefined,
    pressed: [],
    escapedAt: undefined,
    suspendArmed: undefined,
    now: 0,
    wall: 0,
  };
}
