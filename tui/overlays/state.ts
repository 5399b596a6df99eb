import type { CheckpointsOverlay } from "./checkpoints/state.js";
import type { ConfirmOverlay } from "./confirm/state.js";
import type { FormOverlay } from "./form/state.js";
import type { HelpOverlay } from "./help/state.js";
import type { ModelsOverlay } from "./models/state.js";
import type { PaletteOverlay } from "./palette/state.js";
import type { PermissionsOverlay } from "./permissions/state.js";
import type { PickOverlay } from "./pick/state.js";
import type { ReadOverlay } from "./read/state.js";
import type { SessionsOverlay } from "./sessions/state.js";
import type { ThemesOverlay } from "./themes/state.js";
import type { UsageOverlay } from "./usage/state.js";

/** What stands above the panes; at most one. A new kind is one line here and one in `registry.ts`. */
export type Overlay =
  | HelpOverlay
  | PaletteOverlay
  | SessionsOverlay
  | ModelsOverlay
  | PermissionsOverlay
  | CheckpointsOverlay
  | UsageOverlay
  | ThemesOverlay
  | FormOverlay
  | PickOverlay
  | ConfirmOverlay
  | ReadOverlay;
