import type { Binding, State, Updated } from "../../model/state.js";
import { awaited, closed, isOpen } from "./ask.js";
import { marks, taken } from "./take.js";

const key = (id: string, keys: readonly string[], label: string, act: (state: State) => Updated): Binding => ({
  id,
  context: "completion",
  keys,
  label,
  act,
  when: isOpen,
});

/** Keys of the list of completions, before those of the composer. Enter takes what is marked as the composer's own rule. */
export const COMPLETION_KEYS: readonly Binding[] = [
  // Before it is known what is offered it would lead to another pane, where the letters behind it do something else.
  {
    ...key("completion.take", ["tab"], "take", (state) => (isOpen(state) ? taken(state) : awaited(state))),
    when: () => true,
  },
  key("completion.up", ["up", "shift+tab"], "up", (state) => [marks(state, -1), []]),
  key("completion.down", ["down", "ctrl+n"], "down", (state) => [marks(state, 1), []]),
  key("completion.close", ["escape"], "close", (state) => [closed(state), []]),
];
