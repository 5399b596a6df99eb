import { closed as completionClosed, isOpen } from "../composer/completion/ask.js";
import { clearText } from "../composer/update.js";
import { PANE_DEFINITIONS } from "../index.gen.js";
import { closeHelp } from "../overlays/help/rows.js";
import { requestQuit } from "../overlays/quit/update.js";
import { isVoiceBusy, stopVoice } from "../voice/update.js";
import { openLine } from "./line.js";
import { type State, showMessage, type Updated } from "./state.js";

const TWICE_MS = 2_000; // second Ctrl+C within this time means it (workspace part, 3.3)
const LEAVE_MS = 5_000; // the third one within this time leaves, whatever the owner does
const ESCAPE_MS = 800;
const LEAVES = 3;

/** First that applies: close what stands above, stop recording or speaking, stop the command that follows, interrupt the turn, clear the composer, quit at the second press. */
export function cancelOrQuit(state: State): Updated {
  const closed = closing(state);
  if (closed !== undefined) return closed;
  if (isVoiceBusy(state)) return stopVoice(state);
  if (state.chat.following !== undefined) return [state, [{ do: "unfollow" }]];
  if (state.session.turnSince !== undefined) return interrupting(state);
  if (state.composer.editor.text !== "") return [clearText(state), []];
  if (state.quitArmed !== undefined) return requestQuit({ ...state, quitArmed: undefined });
  return [
    { ...showMessage(state, "Press Ctrl+C again to quit", false, TWICE_MS), quitArmed: state.now + TWICE_MS },
    [],
  ];
}

/** What is open above or in a pane. */
function closing(state: State): Updated | undefined {
  if (state.overlay?.kind === "help") return [closeHelp(state), []];
  if (state.overlay !== undefined) return [{ ...state, overlay: undefined, below: undefined }, []];
  if (state.focus === "composer" && isOpen(state)) return [completionClosed(state), []];
  if (state.inline?.watch !== undefined) return [{ ...state, inline: { ...state.inline, watch: undefined } }, []];
  const line = openLine(state);
  if (line !== undefined) return line.dropped();
  return state.focus === "composer" ? undefined : PANE_DEFINITIONS[state.focus].cancel?.(state);
}

/** Once asks, twice forces; the third press in a row leaves an owner that does not answer. */
function interrupting(state: State): Updated {
  const { session, now } = state;
  const since = Math.max(now - LEAVE_MS, session.turnSince ?? now); // what interrupted an earlier turn says nothing about this one
  const pressed = [...state.pressed.filter((at) => at >= since), now];
  if (pressed.length >= LEAVES) return [{ ...state, pressed: [] }, [{ do: "leave", how: "stop" }]];
  const force = session.interruptedAt !== undefined && now - session.interruptedAt < TWICE_MS;
  return [
    { ...state, pressed, session: { ...session, phase: "interrupting", interruptedAt: now } },
    [{ do: "interrupt", force }],
  ];
}

/** Escape twice in a row interrupts the turn; once does nothing by itself. */
export function escapeTwice(state: State): Updated {
  const again = state.escapedAt !== undefined && state.now - state.escapedAt < ESCAPE_MS;
  if (!again || state.session.turnSince === undefined) return [escaped(state), []];
  const { session } = state;
  const next = {
    ...state,
    escapedAt: undefined,
    session: { ...session, phase: "interrupting", interruptedAt: state.now },
  };
  return [next, [{ do: "interrupt", force: false }]];
}

/** An Escape that did something else is the first of two as well. */
export function escaped(state: State): State {
  const next = { ...state, escapedAt: state.now };
  return state.session.turnSince === undefined
    ? next
    : showMessage(next, "Esc again interrupts the turn", false, ESCAPE_MS);
}
