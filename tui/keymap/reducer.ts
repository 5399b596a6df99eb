import { withUserKeys } from "../../lib/contracts/ui/screen-keys.js";
import { sanitizeLine } from "../draw/sanitize.js";
import { BINDINGS } from "../model/keys.js";
import type { Reducer, State } from "../model/state.js";
import { withRecordKey } from "../voice/keys.js";

export const KEYMAP = "keymap";

/** The key table with what the user has changed of it. */
export const keymapReducer: Reducer = (state, message) => {
  if (message.type === "called" && message.to === KEYMAP && message.ok) return [mapped(state, message.result), []];
  return message.type === "display" ? [{ ...state, keymap: withRecordKey(state.keymap, state) }, []] : undefined;
};

function mapped(state: State, result: unknown): State {
  const { given = {}, problems = [] } = result as Partial<Answer>; // the owner's answer to screen.keys
  const { table } = withUserKeys(BINDINGS, new Map(Object.entries(given)));
  const changedKeys = new Set(Object.keys(given));
  const keymap = withRecordKey(table, { ...state, changedKeys });
  return { ...state, keymap, changedKeys, keyProblems: problems.map(sanitizeLine) };
}

interface Answer {
  readonly given: Readonly<Record<string, readonly string[]>>;
  readonly problems: readonly string[];
}
