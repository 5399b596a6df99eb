import { emptied } from "./composer/update.js";
import { leaving } from "./overlays/quit/update.js";
import { type State, say, type Updated } from "./state.js";

const TWICE_MS = 2_000; // second Ctrl+C within this time means it (workspace part, 3.3)

/** First that applies: close what stands above, stop the command that follows, interrupt the turn, clear the composer, quit at the second press. */
export function ladder(state: State): Updated {
  if (state.overlay !== undefined) return [{ ...state, overlay: undefined }, []];
  if (state.chat.following !== undefined) return [state, [{ do: "unfollow" }]];
  const { session } = state;
  if (session.turnSince !== undefined) {
    const force = session.interruptedAt !== undefined && state.now - session.interruptedAt < TWICE_MS;
    return [{ ...state, session: { ...session, phase: "interrupting", interruptedAt: state.now } }, [{ do: "interrupt", force }]];
  }
  if (state.composer.editor.text !== "") return [emptied(state), []];
  if (state.quitArmed !== undefined) return leaving({ ...state, quitArmed: undefined });
  return [{ ...say(state, "Press Ctrl+C again to quit", false, TWICE_MS), quitArmed: state.now + TWICE_MS }, []];
}
