import type { State, Updated } from "../model/state.js";

/** A command without arguments that the screen itself answers, by the key table; undefined: it is the owner's. */
export function localCommand(state: State, text: string): ((state: State) => Updated) | undefined {
  const name = /^\/([a-z-]+)\s*$/.exec(text)?.[1];
  return name === undefined ? undefined : state.keymap.find((one) => one.slash === name)?.act;
}
