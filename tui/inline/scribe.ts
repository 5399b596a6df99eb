import type { RowOf } from "../draw/canvas.js";
import type { State } from "../model/state.js";
import { finished, NOTHING, type Written } from "./finished.js";
import { recapRows, startRows } from "./start.js";

/** Remembers what was written for good, so that nothing is written twice. */
export interface Scribe {
  /** What is to be written now, above everything that changes. */
  write(state: State, width: number): readonly RowOf[];
  written(): Written;
}

export function createScribe(): Scribe {
  let written = NOTHING;
  let session: string | undefined;
  let begun = false;
  /** Another conversation than before: what it holds already is printed in short. */
  const opened = (state: State, width: number): readonly RowOf[] => {
    const { items, loading } = state.chat;
    const other = state.session.id !== undefined && state.session.id !== session && !loading;
    if (!other) return [];
    const before = session !== undefined || state.inline?.resumed === true;
    // A conversation that goes on in another segment is the same one: its items are known.
    const anew = session === undefined || !items.some(({ key }) => written.keys.has(key));
    session = state.session.id;
    if (!before || !anew) return [];
    const old = items.filter(({ kind }) => kind !== "command");
    written = { ...NOTHING, keys: new Set([...written.keys, ...old.map(({ key }) => key)]) };
    return state.display.resumeRecap ? recapRows(old, width) : [];
  };
  return {
    written: () => written,
    write: (state, width) => {
      if (!begun && (state.session.id === undefined || state.chat.loading || state.inline?.tools === undefined))
        return [];
      const head = begun ? [] : startRows(state, width);
      begun = true;
      const recap = opened(state, width);
      const { rows, written: now } = finished(state, written, width);
      written = now;
      return [...head, ...recap, ...rows];
    },
  };
}
