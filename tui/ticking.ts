import type { After } from "./decode.js";
import type { Message } from "./messages.js";
import type { State } from "./state.js";

const TICK_MS = 1_000;
const SPIN_MS = 125;

interface Clockwork {
  readonly after: After;
  readonly mono: () => number;
  readonly now: () => number;
}

/** Ages once a second, the spinner eight times while something runs; nothing more often, and nothing drawn that did not change. */
export function ticking({ after, mono, now }: Clockwork, state: () => State, dispatch: (message: Message) => void): () => void {
  let cancel: () => void = () => undefined;
  const next = () => {
    const { session, display } = state();
    cancel = after(session.turnSince === undefined || !display.animation ? TICK_MS : SPIN_MS, () => {
      dispatch({ type: "tick", now: mono(), wall: now() });
      next();
    });
  };
  next();
  return () => cancel();
}
