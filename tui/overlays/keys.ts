import type { Binding, State, Updated } from "../model/state.js";
import { CHECKPOINTS_KEYS } from "./checkpoints/update.js";
import { CONFIRM_KEYS } from "./confirm/keys.js";
import { FORM_KEYS } from "./form/keys.js";
import { HELP_KEYS } from "./help/keys.js";
import { MODELS_KEYS } from "./models/keys.js";
import { PALETTE_KEYS } from "./palette/keys.js";
import { PERMISSIONS_KEYS } from "./permissions/update.js";
import { PICK_KEYS } from "./pick/keys.js";
import { READ_KEYS } from "./read/keys.js";
import { SESSIONS_KEYS } from "./sessions/keys.js";
import { THEMES_KEYS } from "./themes/themes.js";
import { USAGE_KEYS } from "./usage/update.js";

/** The focus was never taken away: it is where it was. */
const close = (state: State): Updated => [{ ...state, overlay: undefined }, []];

/** Keys of whatever stands above the panes. */
export const OVERLAY_KEYS: readonly Binding[] = [
  ...HELP_KEYS,
  ...CONFIRM_KEYS,
  ...PICK_KEYS,
  ...PALETTE_KEYS,
  ...SESSIONS_KEYS,
  ...MODELS_KEYS,
  ...PERMISSIONS_KEYS,
  ...CHECKPOINTS_KEYS,
  ...USAGE_KEYS,
  ...THEMES_KEYS,
  ...FORM_KEYS,
  ...READ_KEYS,
  { id: "close", context: "dialog", keys: ["escape"], label: "close", hint: "Esc close", act: close },
];
