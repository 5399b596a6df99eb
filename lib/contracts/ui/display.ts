import type { OwnTheme } from "./theme.js";

/** Topic on which the owner tells that settings of screens have changed; the event carries a `DisplaySettings`. */
export const DISPLAY_TOPIC = "display";

/** What screens need of the configuration, answered by `display.get`. */
export interface DisplaySettings {
  /** Values in force of every key under `display.` and of `paste_collapse_*`, by their whole names. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Themes of the user, in the order of their names. */
  readonly themes: readonly OwnTheme[];
}
