import type { ConfirmOverlay } from "./confirm/state.js";
import type { FormOverlay } from "./form/state.js";
import type { HelpOverlay } from "./help/state.js";
import type { ModelsOverlay } from "./models/state.js";
import type { PaletteOverlay } from "./palette/state.js";
import type { PickOverlay } from "./pick/state.js";
import type { ReadOverlay } from "./read/state.js";
import type { SessionsOverlay } from "./sessions/state.js";

/** What stands above the panes; at most one. A new kind is one line here and one in `registry.ts`. */
export type Overlay =
  | HelpOverlay
  | PaletteOverlay
  | SessionsOverlay
  | ModelsOverlay
  | FormOverlay
  | PickOverlay
  | ConfirmOverlay
  | ReadOverlay;
