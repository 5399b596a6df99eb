import type { Focus, State } from "./state.js";

/** The focus goes only where the user sends it. In tabs a focused pane is the one that is shown. */
export const focusOn = (state: State, focus: Focus): State => ({
  ...state,
  focus,
  pane: focus === "composer" ? state.pane : focus,
  queue: state.queue.focused ? { ...state.queue, focused: false } : state.queue,
});
