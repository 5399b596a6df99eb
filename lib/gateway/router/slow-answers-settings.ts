import type { AppOptions } from "../../config/app-options.js";
import { platformSettings, settingsSource } from "../settings/platform-settings.js";
import { createSlowAnswers, type SlowAnswers, type SlowDeps } from "./slow-answers.js";

/** Answers behind buttons, with the settings of a home. */
export const slowAnswers = (deps: Omit<SlowDeps, "settings"> & Pick<AppOptions, "config">): SlowAnswers =>
  createSlowAnswers({ ...deps, settings: (platform) => platformSettings(platform, settingsSource(deps)) });
