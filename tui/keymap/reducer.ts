import { withUserKeys } from "../../lib/contracts/ui/screen-keys.js";
import { sanitizeLine } from "../draw/sanitize.js";
import { BINDINGS } from "../model/keys.js";
import type { Room, State } from "../model/state.js";

export const KEYMAP = "keymap";

/** The key table with what the user has changed of it. */
export const KEYMAP_ROOM: Room = {
  update: (state, message) =>
    message.type === "called" && message.to === KEYMAP && message.ok ? [mapped(state, message.result), []] : undefined,
};

function mapped(state: State, result: unknown): State {
  const { given = {}, problems = [] } = result as Partial<Answer>; // the owner's answer to screen.keys
  const { table } = withUserKeys(BINDINGS, new Map(Object.entries(given)));
  return { ...state, keymap: table, changedKeys: new Set(Object.keys(given)), keyProblems: problems.map(sanitizeLine) };
}

interface Answer {
  readonly given: Readonly<Record<string, readonly string[]>>;
  readonly problems: readonly string[];
}
