import { savesIn } from "../composer/drafts.js";
import { SPIN_MS } from "../draw/glyphs.js";
import { PANE_DEFINITIONS } from "../index.gen.js";
import { visiblePanes } from "../layout/layout.js";
import type { Message } from "../model/messages.js";
import type { State } from "../model/state.js";
import type { SetTimer } from "../terminal/decode.js";

const SECOND_MS = 1_000;

interface Clockwork {
  readonly after: SetTimer;
  readonly mono: () => number;
  readonly now: () => number;
}

/** Tells the time while something on the screen changes by time alone. */
export interface Ticking {
  /** The state is another one: what has to be reported may be, too. */
  look(): void;
  stop(): void;
}

/** Eight times a second while a spinner turns, once a second where seconds are shown, seldom otherwise, and not at all where nothing would change. */
export function ticking(
  { after, mono, now }: Clockwork,
  state: () => State,
  dispatch: (message: Message) => void,
): Ticking {
  let due: { readonly at: number; readonly cancel: () => void } | undefined;
  const tick = () => {
    due = undefined;
    dispatch({ type: "tick", now: mono(), wall: now() });
    look();
  };
  const look = () => {
    const left = due === undefined ? undefined : due.at - mono();
    if (left !== undefined && left <= SPIN_MS) return; // nothing is reported more often
    const rest = restOf(state());
    if (rest === undefined || (left !== undefined && left <= rest)) return;
    due?.cancel();
    due = { at: mono() + rest, cancel: after(rest, tick) };
  };
  look();
  return { look, stop: () => due?.cancel() };
}

/** Milliseconds until time alone changes what is seen or kept; undefined: it never does. */
function restOf(state: State): number | undefined {
  const rests = [
    ...turning(state),
    ...counting(state),
    ...ending(state),
    ...savesIn(state),
    ...visiblePanes(state).flatMap((pane) => PANE_DEFINITIONS[pane].changesIn?.(state) ?? []),
  ];
  return rests.length === 0 ? undefined : Math.max(0, Math.min(...rests));
}

/** A turn that works shows that it does. */
function turning({ session, questions, display, connection }: State): readonly number[] {
  const works =
    (session.turnSince !== undefined || session.phase === "compacting") &&
    questions.open.length === 0 &&
    connection === "connected";
  return works ? [display.animation ? SPIN_MS : SECOND_MS] : [];
}

/** Seconds that are counted: until a question closes, since the connection is lost, until a command is stopped. */
const counting = ({ questions, connection, chat }: State): readonly number[] =>
  questions.open.length > 0 || connection === "lost" || chat.following !== undefined ? [SECOND_MS] : [];

/** What goes by itself. */
function ending({ now, message, quitArmed, suspendArmed, questions }: State): readonly number[] {
  const ends = [message?.error === false ? message.until : undefined, quitArmed, suspendArmed, questions.asking.armed];
  return ends.flatMap((end) => (end === undefined || end <= now ? [] : [end - now]));
}
