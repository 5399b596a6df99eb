import { platformSettings, settingsSource } from "../../gateway/settings.js";
import { createSlowAnswers, type SlowAnswers, type SlowDeps } from "../../gateway/slow-answers.js";
import type { AppOptions } from "../options.js";

/** Answers of MSGL behind buttons, with the settings of a home. */
export const slowAnswers = (deps: Omit<SlowDeps, "settings"> & Pick<AppOptions, "config">): SlowAnswers =>
  createSlowAnswers({ ...deps, settings: platformSettings("msgl", settingsSource(deps)) });
