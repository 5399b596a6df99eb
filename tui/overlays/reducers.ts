import type { Reducer } from "../model/state.js";
import { checkpointsReducer } from "./checkpoints/update.js";
import { modelsReducer } from "./models/update.js";
import { paletteReducer } from "./palette/reducer.js";
import { permissionsReducer } from "./permissions/update.js";
import { quitReducer } from "./quit/update.js";
import { sessionsReducer } from "./sessions/reducer.js";
import { themesReducer } from "./themes/themes.js";
import { usageReducer } from "./usage/update.js";

/** Answers of the owner and of dialogs to what stands above the panes. */
export const OVERLAY_REDUCERS: readonly Reducer[] = [
  quitReducer,
  paletteReducer,
  sessionsReducer,
  modelsReducer,
  permissionsReducer,
  checkpointsReducer,
  usageReducer,
  themesReducer,
];
