import type { Room } from "../model/state.js";
import { CHECKPOINTS_ROOM } from "./checkpoints/update.js";
import { MODELS_ROOM } from "./models/update.js";
import { PALETTE_ROOM } from "./palette/reducer.js";
import { PERMISSIONS_ROOM } from "./permissions/update.js";
import { QUIT_ROOM } from "./quit/update.js";
import { SESSIONS_ROOM } from "./sessions/reducer.js";
import { THEMES_ROOM } from "./themes/themes.js";
import { USAGE_ROOM } from "./usage/update.js";

/** Answers of the owner and of dialogs to what stands above the panes. */
export const OVERLAY_ROOMS: readonly Room[] = [
  QUIT_ROOM,
  PALETTE_ROOM,
  SESSIONS_ROOM,
  MODELS_ROOM,
  PERMISSIONS_ROOM,
  CHECKPOINTS_ROOM,
  USAGE_ROOM,
  THEMES_ROOM,
];
