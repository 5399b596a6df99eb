import type { Reducer } from "../model/state.js";
import type { Colours, Painted } from "./code.js";

/** Pieces of code whose colours are kept: those of many screens. */
const MOST_KEPT = 256;

/** Colours of code as they come from the grammars. */
export const grammarReducer: Reducer = (state, message) =>
  message.type === "painted"
    ? [{ ...state, colours: withColours(state.colours, message.key, message.painted) }, []]
    : undefined;

/** The oldest ones go. */
function withColours(colours: Colours, key: string, painted: Painted): Colours {
  const next = [...colours, [key, painted] as const];
  return new Map(next.slice(-MOST_KEPT));
}
