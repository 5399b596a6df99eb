import { type State, say, type Updated } from "../model/state.js";
import { liveRuns } from "../runs/list.js";

const TWICE_MS = 2_000; // workspace part, 1

/** Ctrl+Z: at once as a client; the owner stops everybody's work with itself, so it says that and wants to be asked twice. */
export function requestSuspend(state: State): Updated {
  const work = state.owner ? running(state) : [];
  if (work.length === 0 || state.suspendArmed !== undefined)
    return [{ ...state, suspendArmed: undefined }, [{ do: "suspend" }]];
  const warned = say(state, `${work.join(" and ")} would be paused; press Ctrl+Z again to suspend`, true, TWICE_MS);
  return [{ ...warned, suspendArmed: state.now + TWICE_MS }, []];
}

/** What would stand still, in words. */
function running(state: State): readonly string[] {
  const { session } = state;
  const active = liveRuns(state);
  return [
    ...(session.turnSince === undefined ? [] : ["the turn"]),
    ...(active === 0 ? [] : [`${active} ${active === 1 ? "run" : "runs"}`]),
  ];
}
